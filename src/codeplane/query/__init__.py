"""Bounded queries over one epoch; each has a limit and a total order. Nothing here writes, resolves or guesses."""
