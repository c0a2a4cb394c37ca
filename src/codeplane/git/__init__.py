"""The repository as git sees it. Only this package knows pygit2; nothing here writes."""
