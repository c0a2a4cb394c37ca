"""Cross-file name resolution: finds the declarations that references and calls refer to.

Must not parse source or write to the store; it reads file summaries and returns links.
"""
