"""The entry points to a repository: fresh reads of its index, and mutations of its files."""
