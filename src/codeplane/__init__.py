"""CodePlane: a repository as a deterministic, queryable, safe system."""

__version__ = "0.1.0"
