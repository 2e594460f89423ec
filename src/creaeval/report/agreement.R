# Repeats from long.csv what creaeval computed, by R's own packages, and prints how far apart the two are:
#   1. agreement of each judge with each rater: QWK, Pearson r, ICC(A,1)           (base R, checked by psych)
#   2. variance components, reliability, severity, fair means: components.R        (lme4, REML)
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

# ---- 2. Variance components --------------------------------------------------------------------------------
source("components.R", encoding = "UTF-8")

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
source("rasch.R", encoding = "UTF-8")
