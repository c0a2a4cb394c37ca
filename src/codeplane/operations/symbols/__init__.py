"""Symbol resolver: one parser for written forms, one lookup, one set of messages for every tool and command."""
