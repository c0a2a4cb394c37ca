"""`cpl languages`: supported languages."""

from __future__ import annotations

import os
import sys

import click

from codeplane.base.text_lines import plural, table
from codeplane.cli.answer import Reply, answer
from codeplane.cli.assemble import Invocation, load_config
from codeplane.cli.options import json_option
from codeplane.cli.terminal import Style, facts, wrapped


@click.command()
@json_option
@click.pass_context
def languages(context: click.Context, json: bool) -> None:
    """List the supported languages."""
    context.exit(answer("languages", lambda: _languages(context.obj), json=json))


def _languages(invocation: Invocation) -> Reply:
    from codeplane.languages.matrix import COVERAGES, supported, text_only

    # This needs no repository, but an unknown setting is still an error.
    load_config(None, invocation, os.environ)
    known, texts = supported(), text_only()
    style = Style.of(sys.stdout)
    rows = [(row.name, row.coverage, row.grammar or "built in") for row in known]
    heads = table([("language", "coverage", "grammar"), *rows], indent="")
    width = max(map(len, heads)) + 2
    lines = [style.dim(heads[0].ljust(width) + "files")]
    for head, row in zip(heads[1:], known, strict=True):
        lines += wrapped(" ".join(row.files), " " * width, head.ljust(width))
    meanings = facts(COVERAGES.items(), style, indent="")
    plain_text = wrapped(" ".join(name for row in texts for name in row.files), "      ", "Text: ")
    text = "\n".join((*lines, "", *meanings, "", *plain_text, "Other text files are indexed by their words and names."))
    result = {
        "languages": [
            {
                "name": row.name,
                "family": row.family,
                "coverage": row.coverage,
                "extensions": list(row.extensions),
                "filenames": list(row.filenames),
                "grammar": row.grammar or None,
            }
            for row in known
        ],
        "text": [{"family": row.family, "files": list(row.files)} for row in texts],
        "coverages": COVERAGES,
    }
    return Reply(result=result, text=text, message=plural(len(known), "language"))
