"""The `cpl` command. Only this package knows the terminal, the environment and the user's directories.

Start-up must stay fast, so modules of this package import the rest of the program inside the functions that need it.
"""
