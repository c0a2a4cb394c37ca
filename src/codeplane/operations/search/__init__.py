"""Search: one question, several ways to find, one kind of result."""
