"""From facts to epochs: find what changed, parse it and publish it. Only this package writes the index."""
