"""The working tree: walk, ignore, observe, read, lock. Nothing outside the repository root is ever read."""
