"""Version of what extraction makes of an unchanged file; part of an index's fingerprint."""

EXTRACTOR_VERSION = "15"
"""Raise it whenever the facts of an unchanged file change."""
