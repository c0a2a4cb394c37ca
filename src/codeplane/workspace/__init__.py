"""The door to a repository's index: it answers fresh, or says that it does not and where."""
