"""The agent's view: what each tool is called, takes and says, and the one way that every call goes."""
