"""Units: the build root that owns a file. Pure functions of paths, manifests and parse results; no I/O."""
