#!/usr/bin/env python3
"""Write the reference pages that are made from the program itself; a test compares them with what is here.

python scripts/generate_docs.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from codeplane.base.errors import ErrorCode, ErrorKind
from codeplane.cli.main import app
from codeplane.cli.plain import plain
from codeplane.config.keys import KEYS
from codeplane.config.layers import ENVIRONMENT_PREFIX

ROOT = Path(__file__).resolve().parent.parent

_NOTE = "<!-- Made by scripts/generate_docs.py; edit the program, not this page. -->\n"

_KINDS = {
    ErrorKind.CALLER: "whoever called: another call works",
    ErrorKind.STATE: "nobody, or `cpl init`: wait, index, or index anew",
    ErrorKind.LIMIT: "whoever called: ask for less, or raise the limit",
    ErrorKind.OPERATOR: "whoever runs CodePlane: configuration, permissions, disk",
    ErrorKind.INTERNAL: "the authors of CodePlane: please report it",
}


def configuration() -> str:
    lines = [
        "# Configuration",
        "",
        _NOTE,
        "Later places win: built-in defaults, `~/.config/codeplane/config.yaml` (or below `XDG_CONFIG_HOME`),",
        "`.codeplane/config.yaml` of the repository, `CODEPLANE__SECTION__KEY` variables, `cpl --set key=value`.",
        "A list replaces the list below it. In variables and after `--set`, lists and objects are written as JSON.",
        "`cpl status --verbose` shows every value and the place that set it. An unknown key is an error.",
        "",
        "The repository's file came with the repository, so it is not trusted: keys marked *user only* are ignored",
        "there, with a warning `CONFIG_UNTRUSTED`. A file is at most 64 KiB of YAML without aliases and repeated keys.",
        "",
        "```yaml",
        "index:",
        "  overlay: off",
        '  ignore: ["*.generated.ts"]',
        "logging:",
        "  level: debug",
        "```",
    ]
    for key in KEYS:
        variable = ENVIRONMENT_PREFIX + key.name.upper().replace(".", "__")
        lines += ["", f"## `{key.name}`" + (" (user only)" if key.trusted_only else ""), "", key.doc, ""]
        lines += [
            f"- Value: {key.expected}",
            f"- Default: `{_value(key.default)}`",
            f"- Example: `{key.example}`",
            f"- Variable: `{variable}`",
        ]
    return "\n".join(lines) + "\n"


def errors() -> str:
    lines = [
        "# Errors",
        "",
        _NOTE,
        "Every refusal has a number, a name, a message, and where they help: what was expected, what came, a call that",
        "works, and a remedy. The kind says who must act. *Retry* means that the same call may succeed later.",
        "",
        "| kind | who must act |",
        "|---|---|",
        *(f"| {kind.value} | {who} |" for kind, who in _KINDS.items()),
        "",
        "| code | error | kind | retry |",
        "|---|---|---|---|",
    ]
    for code in sorted(ErrorCode, key=lambda code: code.number):
        lines.append(f"| {code.number} | `{code.name}` | {code.kind.value} | {'yes' if code.retryable else 'no'} |")
    return "\n".join(lines) + "\n"


def commands() -> str:
    lines = [
        "# The `cpl` command",
        "",
        _NOTE,
        "Exit codes: 0 answered; 1 any other status; 2 the call was wrong; 3 the repository is in use by a process",
        "that cannot be reached; 130 stopped by Ctrl-C. Answers go to stdout, the rest to stderr. `--json` prints",
        "`{status, message, result | error, warnings, hints, meta}` on one line. `NO_COLOR` and pipes get plain text.",
    ]
    context = app.make_context("cpl", [], resilient_parsing=True)
    lines += ["", "## `cpl`", "", "```text", _help(app, context), "```"]
    for name, command in app.commands.items():
        inner = command.make_context(name, [], parent=context, resilient_parsing=True)
        lines += ["", f"## `cpl {name}`", "", "```text", _help(command, inner), "```"]
    return "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/cli.md": commands,
    "docs/reference/configuration.md": configuration,
    "docs/reference/errors.md": errors,
}


def main() -> None:
    for path, page in PAGES.items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(), encoding="utf-8")
        print(path)


def _help(command: click.Command, context: click.Context) -> str:
    # The width of whoever runs this must not show in the page.
    context.terminal_width = 100
    text = command.get_help(context)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def _value(value: object) -> str:
    shown = plain(value)
    return str(shown).replace("'", '"').replace("None", "null") if isinstance(shown, list) else str(shown)


if __name__ == "__main__":
    main()
