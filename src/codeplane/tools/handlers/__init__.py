"""Handlers, one module per feature: translate arguments, call an operation, translate its result.

A module binds its tools in `HANDLERS`; `tools/handler.py` loads it on the first call.
"""
