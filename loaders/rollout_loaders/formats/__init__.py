"""One module a format: the only place where raw JSON and SQL rows are picked apart."""
