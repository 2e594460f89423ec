"""Files and tables in memory as sheets of texts, before anybody knows what their rows and columns are."""
