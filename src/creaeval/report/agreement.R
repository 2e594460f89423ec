# Repeats the means of agreement.csv from long.csv: QWK, Pearson r and ICC(A,1) of each judge with
# each rater, averaged over raters, then over dimensions. Means over several judges and shares are left out.
# Needs the package psych, 1.8.10 or newer (ICC with lmer). Run it in this folder:
#   Rscript agreement.R

library(psych)

long <- read.csv("long.csv", fileEncoding = "UTF-8", colClasses = "character", na.strings = "")
long$method[is.na(long$method)] <- ""
long$points <- as.numeric(long$points)

# psych weighs disagreements by the place of a level among the levels of the table. With every level between
# the lowest and the highest in it, evenly spaced, that is the distance of the values, as in creaeval; with
# the levels alone that happen to occur it would be another number. Values off halves have no such levels, so
# their kappa is computed from its moments.
qwk <- function(x, y) {
  if (sd(x) == 0 && sd(y) == 0) return(NA)
  if (sd(x) == 0 || sd(y) == 0) return(0)
  if (any((2 * c(x, y)) %% 1 != 0)) {
    n <- length(x)
    shrink <- (n - 1) / n
    return(2 * cov(x, y) * shrink / ((var(x) + var(y)) * shrink + (mean(x) - mean(y))^2))
  }
  levels <- seq(min(x, y), max(x, y), by = 0.5)
  counts <- table(factor(x, levels), factor(y, levels))
  cohen.kappa(matrix(counts, nrow = length(levels)), n.obs = length(x))$weighted.kappa
}
pearson <- function(x, y) if (sd(x) == 0 || sd(y) == 0) NA else cor(x, y)
icc <- function(x, y) {
  if (sd(x) == 0 && sd(y) == 0) return(NA)
  results <- ICC(cbind(x, y), lmer = FALSE)$results
  results[results$type == "ICC2", "ICC"]
}
measures <- list(qwk = qwk, pearson = pearson, icc = icc)

judges <- unique(long[long$kind == "judge", c("method", "scorer")])
raters <- unique(long[long$kind == "rater", "scorer"])
both <- function(dimension, first, second) {
  of <- long[long$dimension == dimension, ]
  merge(of[of$kind == first$kind & of$scorer == first$scorer, c("response_id", "points")],
        of[of$kind == second$kind & of$scorer == second$scorer, c("response_id", "points")],
        by = "response_id")
}
rows <- list()
for (dimension in unique(long$dimension)) {
  pairs <- list()
  for (i in seq_len(nrow(judges))) for (rater in raters) {
    pairs[[length(pairs) + 1]] <- list(judges$method[i], judges$scorer[i],
      list(kind = "judge", scorer = judges$scorer[i]), list(kind = "rater", scorer = rater))
  }
  if (length(raters) > 1) for (two in combn(raters, 2, simplify = FALSE)) {
    pairs[[length(pairs) + 1]] <- list("", "human-human",
      list(kind = "rater", scorer = two[1]), list(kind = "rater", scorer = two[2]))
  }
  for (pair in pairs) {
    xy <- both(dimension, pair[[3]], pair[[4]])
    for (measure in names(measures)) {
      value <- if (nrow(xy) < 2) NA else measures[[measure]](xy$points.x, xy$points.y)
      rows[[length(rows) + 1]] <- data.frame(method = pair[[1]], judge = pair[[2]],
        dimension = dimension, metric = measure, value = value)
    }
  }
}
cells <- do.call(rbind, rows)
defined_mean <- function(x) if (all(is.na(x))) NA else mean(x, na.rm = TRUE)
means <- aggregate(value ~ method + judge + dimension + metric, cells, defined_mean, na.action = na.pass)
average <- aggregate(value ~ method + judge + metric, means, defined_mean, na.action = na.pass)
average$dimension <- "AVG"
means <- rbind(means, average[, names(means)])
write.csv(means, "agreement_from_r.csv", row.names = FALSE, na = "")

ours <- read.csv("agreement.csv", fileEncoding = "UTF-8", colClasses = "character", na.strings = "")
ours$value <- as.numeric(ours$value)
ours$method[is.na(ours$method)] <- ""
ours <- ours[ours$rater == "all raters", c("method", "judge", "dimension", "metric", "value")]
together <- merge(means, ours, by = c("method", "judge", "dimension", "metric"), suffixes = c("_r", ""))
differences <- abs(together$value_r - together$value)
cat("Values compared with agreement.csv:", sum(!is.na(differences)), "\n")
cat("Undefined here and there:", sum(is.na(together$value_r) & is.na(together$value)), "\n")
cat("Undefined in one alone:", sum(is.na(together$value_r) != is.na(together$value)), "\n")
if (any(!is.na(differences))) cat("Largest difference:", max(differences, na.rm = TRUE), "\n")
print(average[order(average$metric, average$judge), c("judge", "metric", "value")], row.names = FALSE)
