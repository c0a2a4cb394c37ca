"""The stored index: SQLite with one writer, Tantivy beside it, and checks that both are intact.

Nothing here reads the working tree; only this package uses SQLite and Tantivy.
"""
