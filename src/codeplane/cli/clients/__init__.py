"""Configuration of MCP clients: their catalog, and the editing that they share.

Only our own entry is ever changed; every other byte of a file stays as it is.
"""
