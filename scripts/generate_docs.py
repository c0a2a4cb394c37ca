#!/usr/bin/env python3
"""Write the reference pages that are made from the program itself; a test compares them with what is here.

python scripts/generate_docs.py
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import orjson

from codeplane.base.envelope import STATUSES
from codeplane.base.errors import ErrorCode, ErrorKind
from codeplane.base.warnings import WarningCode
from codeplane.cli.help import COMMANDS, load_command
from codeplane.cli.main import app
from codeplane.cli.plain import plain
from codeplane.config.keys import KEYS, ConfigKey
from codeplane.config.layers import ENVIRONMENT_PREFIX
from codeplane.facts import identifiers, structure
from codeplane.facts.captures import QueryFile, captures_of
from codeplane.languages.matrix import COVERAGES, supported, text_only
from codeplane.languages.registry import detect
from codeplane.tools.catalog import TOOLS

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
        "`cpl status --verbose` shows every value and the place that set it. An unknown key or an unusable value is an",
        "error in your own file, in a variable and after `--set`. A file is at most 64 KiB of YAML without aliases and",
        "repeated keys.",
        "",
        "The repository's file may have come with a clone, so it cannot stop a command, cannot reach out of the",
        "repository, and cannot make a server wait longer or take more of the machine:",
        "",
        "- An unknown key or an unusable value in it is left out, with a warning `CONFIG_IGNORED`; so is a file",
        "  that cannot be read, is a link, or holds more than 100 settings. `cpl doctor` says what is wrong.",
        "- Keys marked *needs trust* are left out, with a warning `CONFIG_UNTRUSTED`, until you trust the repository.",
        "  `cpl trust --show` lists what the file asks for and what becomes of it, `cpl trust` asks and approves,",
        "  `cpl trust --revoke` takes it back. What is approved is the content of the file at this place: when it",
        "  changes, by a pull for example, those keys are left out again until you have approved the new content.",
        "- Keys marked *needs trust to be raised* may be lowered by any repository.",
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
        lines += ["", f"## `{key.name}`{_trust(key)}", "", key.doc, ""]
        lines += [
            f"- Value: {key.expected}",
            f"- Default: `{_value(key.default)}`",
            f"- Example: `{key.example}`",
            f"- Variable: `{variable}`",
        ]
    return "\n".join(lines) + "\n"


def _trust(key: ConfigKey) -> str:
    if not key.trusted_only:
        return ""
    return " (needs trust to be raised)" if key.may_lower else " (needs trust)"


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


def warnings() -> str:
    lines = [
        "# Warnings",
        "",
        _NOTE,
        "A warning comes with an answer that is less than was asked for. Its sentence is fixed; the names that it is",
        "about stand in fields of their own beside it.",
        "",
        "| warning | what it says |",
        "|---|---|",
        *(f"| `{code.name}` | {code.sentence} |" for code in sorted(WarningCode, key=lambda code: code.name)),
    ]
    return "\n".join(lines) + "\n"


def tools() -> str:
    lines = [
        "# Tools",
        "",
        _NOTE,
        "What agents can call, over MCP or with `cpl call TOOL key=value ...`. Agents see the toolset `core` unless",
        "`--toolsets` says otherwise; `cpl call` reaches all. Parameters are accepted in any spelling, numbers as",
        "strings, and one value instead of a list. Every tool also accepts `session_id`, `task_id` and `format`",
        "(`text` or `json`). Parameters marked *not listed* are accepted, but left out of the schema to keep it small.",
        "",
        "[Answers](../answers.md) describes the text form. The JSON form is",
        "`{status, reason?, message?, result | error, warnings?, hints?, meta}`.",
        f"`status` is one of {', '.join(f'`{status}`' for status in STATUSES)}.",
    ]
    for spec in TOOLS:
        lines += ["", f"## `{spec.name}`", "", spec.doc, ""]
        facts = [f"Toolsets: {', '.join(spec.toolsets)}."]
        facts.append("Changes nothing." if spec.read_only else "Can change things.")
        if spec.destructive:
            facts.append("Can remove things.")
        lines.append(" ".join(facts))
        if spec.deprecated is not None:
            lines += ["", f"Deprecated: use `{spec.deprecated.canonical}`."]
        if spec.params:
            lines += ["", "| parameter | type | default | |", "|---|---|---|---|"]
        within = [
            replace(field, name=f"{param.name}[].{field.name}")
            for param in spec.params
            if param.lists_fields
            for field in param.fields
        ]
        for param in (*spec.params, *within):
            kind = " \\| ".join(param.choices) if param.choices else "string" if param.kind == "array" else param.kind
            kind = f"list of {kind}" if param.kind in ("array", "objects") else kind
            needed = f"required without `{param.unless}`" if param.unless else "required"
            default = needed if param.required else "" if param.default is None else f"`{param.default}`"
            listed = "" if param.advertised else "*not listed* "
            lines.append(f"| `{param.name}` | {kind} | {default} | {(listed + param.doc).rstrip()} |")
        for title, sentences in (("Use it", spec.when), ("Do not use it", spec.when_not)):
            lines += [f"\n{title}:\n"] if sentences else []
            lines += [f"- {sentence}" for sentence in sentences]
        lines += ["", "```json", *(orjson.dumps(example.arguments).decode() for example in spec.examples), "```"]
    return "\n".join(lines) + "\n"


def supported_languages() -> str:
    cases = _cases()
    lines = [
        "# Languages",
        "",
        _NOTE,
        "What is known of a file depends on how far its language is supported:",
        "",
        "| coverage | what is known |",
        "|---|---|",
        *(f"| {coverage} | {meaning} |" for coverage, meaning in COVERAGES.items()),
        "",
        "Cases are the files in `tests/facts` that each have a reviewed dump of everything that is known of them;",
        "claims are the places in them where a comment says what must be found. A language without a grammar is read",
        "by CodePlane itself.",
        "",
        "| language | coverage | files | grammar | cases | claims |",
        "|---|---|---|---|---|---|",
    ]
    for row in supported():
        count, claims = cases.get(row.name, (0, 0))
        files = " ".join(f"`{name}`" for name in row.files)
        lines.append(f"| {row.name} | {row.coverage} | {files} | {row.grammar or '-'} | {count} | {claims} |")
    lines += [
        "",
        "Read as text, by family (so is every file that no family claims):",
        "",
        "| family | files |",
        "|---|---|",
    ]
    lines += [f"| {row.family} | {' '.join(f'`{name}`' for name in row.files)} |" for row in text_only()]
    lines += ["", *_DOCUMENTS]
    return "\n".join(lines) + "\n"


_DOCUMENTS = (
    "## Documents and data",
    "",
    "- **Code inside of documents** (scripts and style sheets of HTML, Vue and Svelte, fences of Markdown, cells of",
    "  notebooks) has the facts of its own language, at the lines and columns of the file that it stands in. Each part",
    "  is a file of its own: no name of one part is taken for a name of another. At most 500 parts of a file are read.",
    "- **HTML**: elements with an id, and the first of each custom element. **Vue, Svelte**: the component, named",
    "  after its file; what its scripts and styles define is nested in it.",
    "- **Markdown**: headings, nested by level. What a fence defines is nested in its heading and exported by nothing;",
    "  a fence above the first heading, and one in a language of data or markup, is left as text.",
    "- **Notebooks**: cells, numbered from 1, as `cell 3`; code and headings are nested in them. A line is a line of",
    "  the `.ipynb` file.",
    "- **JSON, YAML, TOML**: keys, three levels deep and at most 400 of a file, the upper levels first; of lock files",
    "  the first level. Keys of objects in arrays are left out; an item of a TOML array of tables is called by its",
    "  name (`bin.server`).",
    "- **CSS, SCSS, Less**: one definition for each class, id, custom property, variable, mixin or key frames.",
    "- **HCL**: blocks by the address that expressions use (`aws_vpc.main`, `var.region`, `local.owner`).",
    "- At most 5000 definitions of a document are kept; a problem of the file says when some were left out.",
)

_CLAIM = re.compile(r"\^ +(?:def|->|unknown|import|member|member_call|label|call|type|name)\b")


def _cases() -> dict[str, tuple[int, int]]:
    """Cases and claims of each language."""
    found: dict[str, tuple[int, int]] = {}
    for path in sorted((ROOT / "tests" / "facts").glob("*/*")):
        language = detect(path.name, path.read_bytes()) if path.is_file() and path.suffix != ".facts" else None
        if language is not None:
            count, claims = found.get(language.name, (0, 0))
            written = sum(1 for line in path.read_text("utf-8").split("\n") if _CLAIM.search(line))
            found[language.name] = (count + 1, claims + written)
    return found


_QUERIES = {
    QueryFile.FACTS: "Scopes, definitions, bindings, imports and exports. One fact per match.",
    QueryFile.NAMES: "Identifiers. Where captures overlap, the later one in this list wins.",
    QueryFile.FLOW: "Data flow: expressions, and statements about them.",
}


def captures() -> str:
    assert structure and identifiers, "they register the captures"
    lines = [
        "# Captures of language queries",
        "",
        _NOTE,
        "The queries in `src/codeplane/languages/<language>/` are tree-sitter patterns; the names of their captures",
        "carry the meaning. Captures that start with an underscore are for predicates only. A *part* is read together",
        "with the other capture of its pattern.",
    ]
    for query, about in _QUERIES.items():
        lines += ["", f"## `{query}`", "", about, "", "| capture | meaning |", "|---|---|"]
        for capture in captures_of(query):
            part = "" if capture.handler is not None or query is QueryFile.FLOW else "*part:* "
            lines.append(f"| `@{capture.name}` | {part}{capture.doc} |")
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
    for name in COMMANDS:
        command = load_command(name)
        if command.hidden:
            continue
        inner = command.make_context(name, [], parent=context, resilient_parsing=True)
        lines += ["", f"## `cpl {name}`", "", "```text", _help(command, inner), "```"]
    return "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/captures.md": captures,
    "docs/reference/cli.md": commands,
    "docs/reference/configuration.md": configuration,
    "docs/reference/errors.md": errors,
    "docs/reference/languages.md": supported_languages,
    "docs/reference/tools.md": tools,
    "docs/reference/warnings.md": warnings,
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
