"""Commands of `cpl`: assemble the context, call one operation, print the result."""
