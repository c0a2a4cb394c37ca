"""Server processes: one engine per repository, and frontends that forward calls to it.

`engine` holds the engine lock and answers calls. `engine_client` finds or starts an engine. `stdio` and `http` are
frontends. Modules that a frontend imports must be quick to import.
"""
