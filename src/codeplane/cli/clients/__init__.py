"""Configuration of MCP clients: one module per client, and the editing that they share.

Only our own entry is ever changed; every other byte of a file stays as it is.
"""
