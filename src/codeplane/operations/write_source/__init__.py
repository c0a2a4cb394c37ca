"""The write_source feature: requested edits to a plan, and an applied change to an answer."""
