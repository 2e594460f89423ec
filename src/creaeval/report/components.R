# Variance components by REML for raters who share all, some or no responses, and what follows from them:
# reliability, raters needed, severity and fair means. agreement.R runs this; its settings are at the top there.

# lme4 stops early by its own settings: after three to four digits of the raters' variance. Here, after seven.
tight <- lmerControl(calc.derivs = FALSE, check.conv.singular = "ignore",
  optCtrl = list(xtol_abs = 1e-10, xtol_rel = 0, ftol_abs = 0, ftol_rel = 0, maxeval = 2000))
said <- character()
say <- function(...) { said <<- unique(c(said, paste0(...))); NULL }

# Variances of the groupings of rows, in their order, and of the residual, which is called `residual`; NULL where
# there are none, which is said. NA is one that cannot be told from the residual: it has a level for every row.
components <- function(rows, groups, residual, what) {
  if (length(unique(rows$who)) < 2) return(say(what, "there is a single one"))
  if (!anyDuplicated(rows$unit)) return(say(what, "no response has two of them"))
  if (constant(rows$points)) return(say(what, "all points are equal"))
  levels <- vapply(groups, function(group) length(unique(group)), 0L)
  random <- which(levels > 1 & levels < nrow(rows))
  data <- data.frame(rows$points, groups)
  names(data) <- c("points", paste0("g", seq_along(groups)))
  formula <- reformulate(sprintf("(1 | g%d)", random), "points")
  model <- tryCatch(suppressWarnings(lmer(formula, data, control = tight)),
    error = function(failure) say(what, "lme4 fails: ", conditionMessage(failure)))
  if (is.null(model)) return(NULL)
  if (length(model@optinfo$warnings)) say(what, "lme4 warns: ", model@optinfo$warnings[[1]])
  found <- as.data.frame(VarCorr(model))
  if (sigma(model)^2 < 1e-8 * sum(found$vcov)) return(say(what, "they differ by constants only"))
  found$vcov[found$vcov < 1e-6 * sum(found$vcov)] <- 0  # a bound of 0 is approached only
  setNames(found$vcov[match(c(names(data)[-1], "Residual"), found$grp)], c(names(groups), residual))
}

keys_of <- function(rows) data.frame(method = rows$method[1], kind = rows$kind[1], dimension = rows$dimension[1])
label_of <- function(keys) paste0(keys$dimension, ", ", keys$kind, "s: ")

study <- function(rows) {  # the scorers of one kind, judges of one method, on one dimension
  keys <- keys_of(rows)
  repeats <- rows[intersect(c("evidence_repeat", "judge_repeat"), names(rows))]
  if (!all(vapply(repeats, constant, TRUE))) return(say(label_of(keys), "a judge's repeats are left out"))
  threefold <- nzchar(persons) && nzchar(facet)
  if (threefold) {
    main <- setNames(list(rows[[persons]], rows$who, rows[[facet]]), c(persons, keys$kind, facet))
    pairs <- combn(3, 2, function(two) paste(main[[two[1]]], main[[two[2]]], sep = "\r"), simplify = FALSE)
    groups <- c(main, setNames(pairs, combn(names(main), 2, paste, collapse = " x ")))
  } else {  # items belong to their response
    of_items <- any(nzchar(rows$item))
    groups <- main <- setNames(list(rows$unit, rows$who), c(if (of_items) "item" else "response", keys$kind))
    if (nzchar(cluster)) groups[[cluster]] <- rows[[cluster]] else if (of_items) groups$response <- rows$response_id
  }
  variance <- components(rows, groups, paste(names(main), collapse = " x "), label_of(keys))
  if (is.null(variance)) return(NULL)
  keys$at_bound <- any(variance == 0, na.rm = TRUE)
  result <- list(variance = cbind(keys, effect = names(variance), variance = variance))
  if (threefold) return(result)

  variance[is.na(variance)] <- 0
  noise <- c(absolute = variance[[2]] + variance[[length(variance)]], consistent = variance[[length(variance)]])
  true <- sum(variance) - noise[["absolute"]]  # responses, and the clusters that they are in
  number <- rep(c(single = 1, mean = 1 / mean(1 / table(rows$unit))), each = 2)  # the mean is a harmonic one
  result$reliability <- cbind(keys, coefficient = paste(names(number), names(noise)), raters = unname(number),
    value = true / (true + noise / number), needed = pmax(1, ceiling(target / (1 - target) * noise / true)))
  result
}

# Leniency and fair means by lme4's generalized least squares: scorers fixed, responses random with the variance
# that they have where scorers are random, too. Both are beside the mean of the raters of the same island: islands
# are linked by responses in common, if only through others.
adjust <- function(rows) {
  what <- label_of(keys_of(rows))
  v <- if (anyDuplicated(rows$who)) components(rows, list(response = rows$unit, who = rows$who), "error", what)
  if (is.null(v) || anyNA(v)) return(NULL)
  m <- wide(rows, rows$who)
  scorers <- rows[match(colnames(m), rows$who), ]
  rows$column <- factor(rows$who, colnames(m))
  parts <- lFormula(points ~ 0 + column + (1 | unit), rows, control = tight)
  deviance <- do.call(mkLmerDevfun, parts)
  theta <- sqrt(v[["response"]] / v[["error"]])
  at <- list(par = theta, fval = deviance(theta), conv = 0)
  model <- mkMerMod(environment(deviance), at, parts$reTrms, parts$fr)
  covariance <- as.matrix(vcov(model)) / sigma(model)^2 * v[["error"]]

  given <- !is.na(m)
  island <- islands(given)
  if (max(island) > 1) say(what, max(island), " islands of raters without a response in common; leniency and fair ",
    "means compare within an island only")
  average <- outer(island, island, "==") & rep(scorers$kind == "rater", each = length(island))
  average <- average / rowSums(average)
  contrast <- diag(length(island)) - average
  of_response <- average[max.col(given, "first"), , drop = FALSE]
  weight <- theta^2 / (1 + theta^2 * rowSums(given))
  slope <- of_response - given * weight
  at_bound <- any(v == 0)
  keys <- c("method", "kind", "dimension")
  list(severity = data.frame(scorers[keys], at_bound, scorer = scorers$person, island = island,
      leniency = drop(contrast %*% fixef(model)),
      se = sqrt(pmax(diag(contrast %*% covariance %*% t(contrast)), 0))),
    fair_means = data.frame(rows[match(rownames(m), rows$unit), c(keys, "response_id", "item")], at_bound,
      fair_mean = drop(of_response %*% fixef(model)) + ranef(model)$unit[rownames(m), 1],
      se = sqrt(rowSums((slope %*% covariance) * slope) + v[["error"]] * weight)))
}
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
# Raters among each other, then each judge as a further scorer of the responses that raters scored.
adjust_all <- function(rows) {
  raters <- rows[rows$kind == "rater", ]
  judges <- rows[rows$kind == "judge" & rows$unit %in% raters$unit, ]
  found <- list(adjust(raters))
  for (judge in split(judges, judges$who)) {
    beside <- adjust(rbind(judge, raters))$severity
    found <- c(found, list(list(severity = beside[beside$kind == "judge", ])))
  }
  found
}

timed("Variance components, reliability, leniency, fair means", {
  long$who <- key_of(long, c("kind", "method", "person"))
  part <- function(list, name) do.call(rbind, unname(lapply(list, `[[`, name)))
  studies <- lapply(split(long, key_of(long, c("kind", "method", "dimension"))), study)
  adjusted <- do.call(c, unname(lapply(split(long, long$dimension), adjust_all)))
  keys <- c("method", "kind", "dimension")
  compare(part(studies, "variance"), "variance", c(keys, "effect"), "variance")
  compare(part(studies, "reliability"), "reliability", c(keys, "coefficient"), c("value", "raters", "needed"))
  compare(part(adjusted, "severity"), "severity", c(keys, "scorer"), c("leniency", "se"))
  compare(part(adjusted, "fair_means"), "fair_means", c(keys, "response_id", "item"), c("fair_mean", "se"))
  if (length(said)) cat(said, sep = "\n")
})
