"""The git repository. Only this package imports pygit2; nothing here writes."""
