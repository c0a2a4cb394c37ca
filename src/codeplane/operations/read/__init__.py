"""Reads of working tree files: whole, by lines, by symbol, or as a diff."""
