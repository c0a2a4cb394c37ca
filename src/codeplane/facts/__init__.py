"""Source text becomes facts. Pure: no I/O, never raises on bad source, runs in killable workers."""
