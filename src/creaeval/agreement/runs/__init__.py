"""What runs tell beside agreement: their differences, cost, stability, and how scores follow length."""
