"""Agent surface: tool specifications, argument parsing, handlers, and the pipeline that runs every call."""
