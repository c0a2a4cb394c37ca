"""cpl: the one place that knows the terminal, the environment and the user's directories.

Start-up time is a promise, so modules of this package import the rest of the program
inside the commands that need it.
"""
