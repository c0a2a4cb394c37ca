"""HTTP frontend: MCP and operator routes on the loopback interface, behind one guard.

It never touches the index; every call goes to the engine through a ToolCaller.
"""
