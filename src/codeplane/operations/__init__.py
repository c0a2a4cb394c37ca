"""Product features, one module or package per feature. Knows no protocol and no terminal."""
