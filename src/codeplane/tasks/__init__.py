"""Sessions, handles, tasks and the ledger: who asked for what, and what came of it."""
