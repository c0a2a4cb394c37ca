"""Facts become epochs: what changed is read, parsed and published, and nothing else writes the index."""
