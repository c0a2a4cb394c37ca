"""Tasks of a coding agent, each done twice: with the tools of the server, and with `rg`, `sed` and edits."""
