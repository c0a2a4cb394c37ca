"""Where an index lives: SQLite with one writer, Tantivy beside it, and what proves that both are whole.

Nothing here looks at the working tree; only this package knows SQLite and Tantivy.
"""
