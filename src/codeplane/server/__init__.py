"""Processes that talk to each other and to clients: the engine of a repository, and the fronts that forward to it.

`engine` holds the lock and answers; `attach` is how every front finds or starts one;
`stdio` and `http` are fronts. Modules that a front needs import nothing heavy.
"""
