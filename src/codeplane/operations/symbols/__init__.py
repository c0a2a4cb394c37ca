"""The symbol resolver: one parser for written forms, one look-up, one set of words for every tool and command."""
