"""Units: which build root owns a file. Pure functions of paths, manifests and parse results; no I/O here."""
