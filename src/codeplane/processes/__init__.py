"""Child processes: start, limit, kill the process tree. No other package starts processes. Also supervised threads."""
