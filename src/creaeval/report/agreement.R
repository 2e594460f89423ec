# Repeats from long.csv what creaeval computed, by R's own packages, and prints how far apart the two are:
#   1. agreement of each judge with each rater: QWK, Pearson r, ICC(A,1)           (base R, checked by psych)
#   2. variance components, reliability, severity, fair means, of any design       (lme4, REML)
#   3. the six forms of the ICC, on responses that all raters rated                (base R, checked by psych)
#   4. a many-facet Rasch model: rasch.R                                           (TAM, where it is installed)
# Run it in this folder: Rscript agreement.R
# Needs the packages psych (1.8.10 or newer) and lme4. Writes NAME_from_r.csv beside each NAME.csv.

target <- 0.8   # reliability to find the number of raters for
cluster <- ""   # a column of long.csv that groups responses, such as "scenario": one more variance component
persons <- ""   # with facet: the column of who wrote a response; then persons x raters x facet is estimated
facet <- ""     # the column of what everybody answered, such as "scenario"

suppressPackageStartupMessages({ library(psych); library(lme4) })
if (!l10n_info()[["UTF-8"]]) invisible(suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8")))

read_table <- function(path) {  # everything as text first: an id may be 001, a rater may be called NA
  table <- read.csv(path, colClasses = "character", na.strings = "", encoding = "UTF-8", check.names = FALSE)
  for (key in intersect(names(table), c("item", "kind", "method"))) table[[key]][is.na(table[[key]])] <- ""
  table
}
key_of <- function(rows, keys) do.call(paste, c(unname(as.list(rows[keys])), sep = "\r"))

# Writes a table and prints the largest difference of its values from those in NAME.csv, row by row. Rows with a
# variance at its bound of 0 are not compared: there, REML estimates the others anew, the analysis of variance,
# which creaeval takes for complete data, does not.
compare <- function(table, name, keys, values) {
  if (is.null(table)) return(invisible())
  write.csv(table, paste0(name, "_from_r.csv"), row.names = FALSE, na = "", fileEncoding = "UTF-8")
  if (!file.exists(paste0(name, ".csv"))) return(invisible())
  ours <- read_table(paste0(name, ".csv"))
  keys <- intersect(keys, names(ours))
  place <- match(key_of(table, keys), key_of(ours, keys))
  used <- !is.na(place) & !(if (is.null(table$at_bound)) FALSE else table$at_bound)
  for (value in intersect(values, names(ours))) {
    theirs <- as.numeric(ours[[value]])[place[used]]
    mine <- table[[value]][used]
    apart <- abs(mine - theirs)
    largest <- if (all(is.na(apart))) "-" else format(max(apart, na.rm = TRUE), digits = 3)
    cat(sprintf("%-12s %-10s %6d compared, %d undefined in one alone, %d at a bound, largest difference %s\n", name,
      value, sum(!is.na(apart)), sum(is.na(mine) != is.na(theirs)), sum(!is.na(place)) - sum(used), largest))
  }
}
timed <- function(what, part) cat(sprintf("%s: %.1f s\n\n", what, system.time(part)[["elapsed"]]))
by_dimension <- function(rows, part, ...) do.call(rbind, lapply(split(rows, rows$dimension), part, ...))

long <- read_table("long.csv")
long$points <- as.numeric(long$points)
long <- long[!is.na(long$points), ]
if (is.null(long$item)) long$item <- ""
if (is.null(long$person)) long$person <- long$scorer
long$unit <- key_of(long, c("response_id", "item"))  # what is scored: a response, or an item of it

# One row a unit, one column a scorer, NA where there are no points.
wide <- function(rows, scorer) {
  units <- unique(rows$unit)
  scorers <- unique(scorer)
  m <- matrix(NA_real_, length(units), length(scorers), dimnames = list(units, scorers))
  m[cbind(match(rows$unit, units), match(scorer, scorers))] <- rows$points
  m
}
constant <- function(x) length(unique(x)) < 2

# ---- 1. Agreement: a judge with each rater, then the mean over raters, then over dimensions ----------------
# Quadratic weights on the values themselves: psych's weights are the same on whole points with every level
# between the lowest and the highest in the table, and differ where a level that nobody gave is left out.
qwk <- function(x, y) {
  if (constant(x) && constant(y)) return(NA_real_)
  shrink <- (length(x) - 1) / length(x)
  2 * cov(x, y) * shrink / ((var(x) + var(y)) * shrink + (mean(x) - mean(y))^2)
}
pearson <- function(x, y) if (constant(x) || constant(y)) NA_real_ else cor(x, y)
icc <- function(x, y) if (constant(x) && constant(y)) NA_real_ else six_forms(cbind(x, y))[[2]]
measures <- list(qwk = qwk, pearson = pearson, icc = icc)

# From the mean squares of targets (R), raters (C), error (E) and within targets (W): McGraw and Wong (1996).
six_forms <- function(m) {
  n <- nrow(m); k <- ncol(m); grand <- mean(m)
  columns <- n * sum((colMeans(m) - grand)^2)
  error <- sum((m - outer(rowMeans(m), colMeans(m), "+") + grand)^2)
  R <- k * sum((rowMeans(m) - grand)^2) / (n - 1); C <- columns / (k - 1)
  E <- error / ((n - 1) * (k - 1)); W <- (columns + error) / (n * (k - 1))
  c("ICC(1) = ICC(1,1)" = (R - W) / (R + (k - 1) * W),
    "ICC(A,1) = ICC(2,1)" = (R - E) / (R + (k - 1) * E + k * (C - E) / n),
    "ICC(C,1) = ICC(3,1)" = (R - E) / (R + (k - 1) * E),
    "ICC(k) = ICC(1,k)" = (R - W) / R,
    "ICC(A,k) = ICC(2,k)" = (R - E) / (R + (C - E) / n),
    "ICC(C,k) = ICC(3,k)" = (R - E) / R)
}
by_psych <- function(m) {  # how far psych is from the two formulas above, on no more than 100 rows: aov is slow
  m <- head(m, 100)
  if (nrow(m) < 3 || any(apply(m[, 1:2], 2, constant))) return(c(kappa = NA, icc = NA))
  forms <- suppressWarnings(ICC(m, lmer = FALSE))$results$ICC
  if (any(m %% 1 != 0)) return(c(kappa = NA, icc = max(abs(forms - six_forms(m)))))
  levels <- min(m[, 1:2]):max(m[, 1:2])
  counts <- matrix(table(factor(m[, 1], levels), factor(m[, 2], levels)), length(levels))
  kappa <- suppressWarnings(cohen.kappa(counts, n.obs = nrow(m)))$weighted.kappa
  c(kappa = abs(kappa - qwk(m[, 1], m[, 2])), icc = max(abs(forms - six_forms(m))))
}
complete <- function(m) m[!is.na(rowSums(m)), , drop = FALSE]

agreement <- function(rows) {
  rows <- rows[!is.na(rows$scorer), ]
  m <- wide(rows, key_of(rows, c("kind", "method", "scorer")))
  who <- do.call(rbind, strsplit(colnames(m), "\r", fixed = TRUE))
  raters <- which(who[, 1] == "rater")
  couples <- t(as.matrix(expand.grid(which(who[, 1] == "judge"), raters)))
  if (length(raters) > 1) couples <- cbind(couples, combn(raters, 2))
  cells <- lapply(seq_len(ncol(couples)), function(i) {
    couple <- couples[, i]
    xy <- complete(m[, couple])
    values <- vapply(measures, function(f) if (nrow(xy) < 2) NA_real_ else f(xy[, 1], xy[, 2]), 0)
    people <- who[couple[1], 1] == "rater"
    data.frame(method = if (people) "" else who[couple[1], 2], judge = if (people) "human-human" else
      who[couple[1], 3], dimension = rows$dimension[1], metric = names(measures), value = values)
  })
  do.call(rbind, cells)
}

timed("Agreement", {
  mean_of <- function(keys, rows) aggregate(rows["value"], rows[keys], function(x) {
    if (all(is.na(x))) NA else mean(x, na.rm = TRUE)
  })
  cells <- by_dimension(long, agreement)
  if (is.null(cells)) stop("long.csv has no two scorers, so there is nothing to compare.", call. = FALSE)
  means <- mean_of(c("method", "judge", "dimension", "metric"), cells)
  average <- cbind(mean_of(c("method", "judge", "metric"), means), dimension = "AVG")
  means <- cbind(rbind(means, average[names(means)]), rater = "all raters")
  compare(means, "agreement", c("method", "judge", "rater", "dimension", "metric"), "value")
})

# ---- 2. Variance components by REML, for raters who share all, some or no responses ------------------------
# lme4 stops early by its own settings: after three to four digits of the raters' variance. Here, after seven.
tight <- lmerControl(calc.derivs = FALSE, check.conv.singular = "ignore",
  optCtrl = list(xtol_abs = 1e-10, xtol_rel = 0, ftol_abs = 0, ftol_rel = 0, maxeval = 2000))
said <- character()
say <- function(...) { said <<- unique(c(said, paste0(...))); NULL }

# Number of the island of each rater: those linked by responses in common, if only through others.
islands <- function(given) {
  linked <- crossprod(given) > 0
  repeat {
    further <- linked %*% linked > 0
    if (all(further == linked)) break
    linked <- further
  }
  members <- apply(linked, 1, paste, collapse = "")
  match(members, unique(members))
}

# The groupings whose variances are estimated; the last effect is the residual.
effects_of <- function(rows, kind) {
  if (nzchar(persons) && nzchar(facet)) {
    main <- setNames(list(rows[[persons]], rows$who, rows[[facet]]), c(persons, kind, facet))
    pairs <- combn(3, 2, function(two) paste(main[[two[1]]], main[[two[2]]], sep = "\r"), simplify = FALSE)
    groups <- c(main, setNames(pairs, combn(names(main), 2, paste, collapse = " x ")))
  } else {
    groups <- main <- setNames(list(rows$unit, rows$who), c("response", kind))
    if (nzchar(cluster)) groups[[cluster]] <- rows[[cluster]]
  }
  list(groups = groups, residual = paste(names(main), collapse = " x "))
}

study <- function(rows) {  # the scorers of one kind, judges of one method, on one dimension
  keys <- data.frame(method = rows$method[1], kind = rows$kind[1], dimension = rows$dimension[1])
  what <- paste0(keys$dimension, ", ", keys$kind, "s: ")
  if (length(unique(rows$who)) < 2) return(say(what, "there is a single one"))
  if (!anyDuplicated(rows$unit)) return(say(what, "no response has two of them"))
  if (constant(rows$points)) return(say(what, "all points are equal"))
  repeats <- rows[intersect(c("evidence_repeat", "judge_repeat"), names(rows))]
  if (!all(vapply(repeats, constant, TRUE))) return(say(what, "repeats of a judge are a factor that this leaves out"))
  effects <- effects_of(rows, keys$kind)
  groups <- effects$groups
  # What has a level for every row cannot be told from the residual: so are raters who rated one response each.
  levels <- vapply(groups, function(group) length(unique(group)), 0L)
  random <- which(levels > 1 & levels < nrow(rows))
  data <- data.frame(rows$points, groups)
  names(data) <- c("points", paste0("g", seq_along(groups)))
  model <- suppressWarnings(lmer(reformulate(sprintf("(1 | g%d)", random), "points"), data, control = tight))
  found <- as.data.frame(VarCorr(model))
  if (sigma(model)^2 < 1e-8 * sum(found$vcov)) return(say(what, "they differ by constants only"))
  if (length(model@optinfo$warnings)) say(what, "lme4 warns: ", model@optinfo$warnings[[1]])
  found$vcov[found$vcov < 1e-6 * sum(found$vcov)] <- 0  # a bound of 0 is approached only
  variance <- found$vcov[match(c(names(data)[-1], "Residual"), found$grp)]
  keys$at_bound <- any(variance == 0, na.rm = TRUE)
  result <- list(variance = cbind(keys, effect = c(names(groups), effects$residual), variance = variance))
  if (nzchar(persons) && nzchar(facet)) return(result)

  v <- ifelse(is.na(variance), 0, variance)  # of responses, scorers, clusters if there are any, and the residual
  error <- v[length(v)]
  noise <- c(absolute = v[2] + error, consistent = error)
  number <- rep(c(1, 1 / mean(1 / table(rows$unit))), each = 2)  # of scorers: one, and the harmonic mean
  result$reliability <- cbind(keys, coefficient = names(noise), number = number,
    value = (sum(v) - noise[[1]]) / (sum(v) - noise[[1]] + noise / number),
    needed = pmax(1, ceiling(target / (1 - target) * noise / (sum(v) - noise[[1]]))))
  if (keys$kind == "judge" || nzchar(cluster) || error == 0 || !2 %in% random) return(result)
  c(result, adjust(rows, keys, theta = sqrt(v[1] / error), error))
}

# Leniency of raters and fair means, with these raters as they are (fixed) and responses random: generalized least
# squares by lme4 at the study's variances. Both are beside the mean of the raters of the same island.
adjust <- function(rows, keys, theta, error) {
  m <- wide(rows, rows$who)
  given <- !is.na(m)
  rows$column <- factor(rows$who, colnames(m))
  parts <- lFormula(points ~ 0 + column + (1 | unit), rows, control = tight)
  deviance <- do.call(mkLmerDevfun, parts)
  at <- list(par = theta, fval = deviance(theta), conv = 0)
  model <- mkMerMod(environment(deviance), at, parts$reTrms, parts$fr)
  effect <- fixef(model)
  covariance <- as.matrix(vcov(model)) / sigma(model)^2 * error

  island <- islands(given)
  if (max(island) > 1) say(keys$dimension, ": ", max(island), " islands of raters without a response in common; ",
    "severity and fair means compare within an island only")
  average <- outer(island, island, "==") / tabulate(island)[island]
  contrast <- diag(length(island)) - average
  average <- average[max.col(given, "first"), , drop = FALSE]  # of each response: the raters of its island
  weight <- theta^2 / (1 + theta^2 * rowSums(given))
  slope <- average - given * weight
  list(severity = cbind(keys, scorer = rows$person[match(colnames(m), rows$who)], leniency = drop(contrast %*% effect),
      se = sqrt(pmax(diag(contrast %*% covariance %*% t(contrast)), 0)), island = island),
    fair_means = cbind(keys, rows[match(rownames(m), rows$unit), c("response_id", "item")],
      fair_mean = drop(average %*% effect) + ranef(model)$unit[rownames(m), 1],
      se = sqrt(rowSums((slope %*% covariance) * slope) + error * weight)))
}

timed("Variance components, reliability, severity, fair means", {
  long$who <- key_of(long, c("kind", "method", "person"))
  studies <- Filter(Negate(is.null), lapply(split(long, key_of(long, c("kind", "method", "dimension"))), study))
  part <- function(name) do.call(rbind, lapply(studies, `[[`, name))
  keys <- c("method", "kind", "dimension")
  compare(part("variance"), "variance", c(keys, "effect"), "variance")
  compare(part("reliability"), "reliability", c(keys, "coefficient"), c("value", "needed"))
  compare(part("severity"), "severity", c(keys, "scorer"), c("leniency", "se"))
  compare(part("fair_means"), "fair_means", c(keys, "response_id", "item"), c("fair_mean", "se"))
  if (length(said)) cat(said, sep = "\n")
})

# ---- 3. The six forms of the ICC, on the responses that all raters rated -----------------------------------
timed("ICC of all raters", {
  raters <- long[long$kind == "rater", ]
  forms <- by_dimension(raters, function(rows) {
    m <- complete(wide(rows, rows$person))
    if (nrow(m) < 2 || ncol(m) < 2 || all(apply(m, 2, constant))) return(NULL)
    values <- six_forms(m)
    data.frame(dimension = rows$dimension[1], coefficient = names(values), value = values)
  })
  compare(forms, "raters", c("dimension", "coefficient"), "value")
  checked <- vapply(split(raters, raters$dimension), function(rows) {
    m <- complete(wide(rows, rows$person))
    if (ncol(m) < 2) c(kappa = NA, icc = NA) else by_psych(m)
  }, c(kappa = 0, icc = 0))
  largest <- function(x) if (all(is.na(x))) "not checked" else format(max(x, na.rm = TRUE), digits = 3)
  cat("psych beside these formulas, first 100 responses, largest difference: cohen.kappa ",
    largest(checked["kappa", ]), ", ICC ", largest(checked["icc", ]), "\n", sep = "")
})

# ---- 4. Many-facet Rasch model -----------------------------------------------------------------------------
if (file.exists("rasch.R")) source("rasch.R", encoding = "UTF-8")
