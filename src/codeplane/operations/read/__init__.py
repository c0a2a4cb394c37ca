"""Reading files of the working tree: whole, by lines, by symbol, or as what changed."""
