"""The doors to a repository. Here the one to read: fresh, or it says that it is not."""
