# Variance components by REML for raters who share all, some or no responses, and what follows from them:
# reliability, raters needed, severity and fair means. agreement.R runs this; its settings are at the top there.

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
  if (!all(vapply(repeats, constant, TRUE))) return(say(what, "a judge's repeats are left out"))
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
  coefficient <- paste(rep(c("single", "mean"), each = 2), names(noise))
  result$reliability <- cbind(keys, coefficient = coefficient, number = number,
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
  list(severity = cbind(keys, scorer = rows$person[match(colnames(m), rows$who)], island = island,
      leniency = drop(contrast %*% effect), se = sqrt(pmax(diag(contrast %*% covariance %*% t(contrast)), 0))),
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
