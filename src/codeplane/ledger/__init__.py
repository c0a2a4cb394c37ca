"""Append-only record of calls and mutations, with a hash chain over every row."""
