"""The HTTP front: MCP and a few routes for operators, on loopback, behind one guard.

It never touches the index; every call goes to the engine through a Caller.
"""
