"""Changes of files: planned as text, applied as one batch, told as a delta, undone as long as that is kept."""
