# A many-facet Rasch model of people's ratings: how severe is each rater, and what would each response have got
# from a rater of mean severity? Dimensions are the items (partial credit: each has steps of its own), raters a
# facet, responses the persons. agreement.R runs this at its end, where the package TAM (Robitzsch, Kiefer and
# Wu) is installed.
# Writes rasch_raters.csv (severity in logits, positive is severe) and rasch_responses.csv (logits, fair scores).
# It follows TAM's documentation (tam.mml, examples 10 and 14; msq.itemfit, example 3).

most_levels <- 10  # a dimension with more distinct points than these is cut into so many bands of equal width

rasch <- function(long) {
  long <- long[long$kind == "rater", ]
  units <- unique(long$unit); raters <- unique(long$person); dimensions <- unique(long$dimension)
  if (length(raters) < 2) return(cat("Rasch model: skipped, there is a single rater\n"))

  # TAM wants categories from 0 to K without a gap, and labels without signs.
  levels <- list()  # the points that category 0, 1, ... of each dimension stands for
  long$category <- 0L
  for (dimension in dimensions) {
    here <- long$dimension == dimension
    points <- long$points[here]
    bands <- if (length(unique(points)) > most_levels) cut(points, most_levels) else points
    place <- match(bands, sort(unique(bands)))
    long$category[here] <- place - 1L
    levels[[dimension]] <- as.vector(tapply(points, place, mean))
  }
  dimensions <- dimensions[lengths(levels[dimensions]) > 1]  # a constant tells nothing
  long <- long[long$dimension %in% dimensions, ]
  if (!nrow(long)) return(cat("Rasch model: skipped, all points are equal\n"))
  rows <- unique(long[c("response_id", "item", "unit", "person")])  # a row a response and rater
  answers <- matrix(NA_integer_, nrow(rows), length(dimensions))
  answers[cbind(match(paste(long$unit, long$person, sep = "\r"), paste(rows$unit, rows$person, sep = "\r")),
    match(long$dimension, dimensions))] <- long$category
  items <- sprintf("D%04d", seq_along(dimensions)); labels <- sprintf("R%04d", seq_along(raters))
  answers <- setNames(as.data.frame(answers), items)

  model <- TAM::tam.mml.mfr(resp = answers, facets = data.frame(rater = labels[match(rows$person, raters)]),
    pid = match(rows$unit, units), formulaA = ~ item + rater + item:step, verbose = FALSE)
  pseudo <- colnames(model$resp)  # TAM's "generalized items": a dimension by a rater
  of_item <- regmatches(pseudo, regexpr("D[0-9]{4}", pseudo))
  of_rater <- regmatches(pseudo, regexpr("R[0-9]{4}", pseudo))
  effects <- model$xsi.facets[model$xsi.facets$facet == "rater", ]
  effects <- effects[match(labels, regmatches(effects$parameter, regexpr("R[0-9]{4}", effects$parameter))), ]
  fit <- TAM::msq.itemfit(model, of_rater)$itemfit
  severity <- data.frame(rater = raters, severity = effects$xsi, se = effects$se.xsi,
    infit = fit$Infit[match(labels, fit$fitgroup)], outfit = fit$Outfit[match(labels, fit$fitgroup)])
  write.csv(severity, "rasch_raters.csv", row.names = FALSE, na = "", fileEncoding = "UTF-8")

  # P(category k) is proportional to exp(k theta + AXsi_k); a rater's severity lowers AXsi_k by k times itself.
  persons <- TAM::tam.wle(model, progress = FALSE)
  fair <- rows[!duplicated(rows$unit), c("unit", "response_id", "item")]
  place <- match(match(fair$unit, units), persons$pid)
  fair$unit <- NULL
  fair$logits <- persons$theta[place]; fair$se <- persons$error[place]
  for (number in seq_along(dimensions)) {
    points <- levels[[dimensions[number]]]
    k <- seq_along(points) - 1
    one <- which(of_item == items[number])[1]
    neutral <- model$AXsi[one, k + 1] + k * severity$severity[match(of_rater[one], labels)]
    odds <- exp(outer(fair$logits, k) + rep(neutral, each = nrow(fair)))
    fair[[dimensions[number]]] <- drop(odds %*% points) / rowSums(odds)
  }
  write.csv(fair, "rasch_responses.csv", row.names = FALSE, na = "", fileEncoding = "UTF-8")
  print(severity, row.names = FALSE, digits = 3)
}

if (requireNamespace("TAM", quietly = TRUE)) {
  rasch(long)
} else {
  cat("Rasch model: skipped, the package TAM is not installed: install.packages(\"TAM\")\n")
}
