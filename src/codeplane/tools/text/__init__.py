"""Text form of answers: one presenter per feature, shared by agents and the command line."""
