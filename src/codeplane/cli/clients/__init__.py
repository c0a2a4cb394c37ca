"""CodePlane in the configuration of MCP clients: one module for each client, and the editing that they share.

Only our own entry is ever changed; every other byte of a file stays as it is.
"""
