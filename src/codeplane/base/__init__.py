"""Words that every other package shares. No I/O, no imports from the rest."""
