"""Variance components of any rater design, and what follows: reliability, leniency, fair means."""
