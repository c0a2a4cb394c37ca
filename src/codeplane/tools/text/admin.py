"""Text form of `health_check`, `manage_index`, `list_codebases` and `describe`: one to three lines each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note, text
from codeplane.tools import catalog
from codeplane.tools.text.common import argument_words, hint_lines

Fields = Mapping[str, Any]


def render_health_check(arguments: Mapping[str, Any], answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    words = [str(result["status"])]
    checks: Fields = result["startup_checks"]["index"]
    if checks["status"] != "compatible":
        words.append(f"index {_spaced(checks['status'])}")
    if result["prewarm_status"] == "failed":
        words.append("prewarm failed")
    if result["watcher"] == "limit":
        # The other states are as fast as the platform allows.
        words.append("file watcher stopped at the inotify limit")
    if result["grammars"].get("missing"):
        words.append(f"grammars missing: {', '.join(result['grammars']['missing'])}")
    if "lock_owner" in result:
        words.append(f"index held by process {result['lock_owner']}")
    if "last_error" in result:
        words.append(f"last error {result['last_error']['error']}")
    return [text("; ".join(words)), *_job_lines(result), *hint_lines(answer, *answer.hints)]


def render_manage_index(arguments: Mapping[str, Any], answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    words = _sentence(answer.message) if answer.message else _spaced(answer.status)
    counts = list(_index_counts(result))
    lines = [text(f"{words}: {', '.join(counts)}" if counts else words), *_job_lines(result)]
    for name in ("ignore_patterns", "custom_extensions"):
        if result.get(name):
            more = result.get(f"{name}_total", 0) - len(result[name])
            shown = ", ".join(display(str(value)) for value in result[name])
            lines.append(text(f"{_spaced(name)}: {shown}" + (f" and {more:,} more" if more > 0 else "")))
    if "lock_owner" in result:
        lines.append(text(f"index held by process {result['lock_owner']}"))
    # An index that is as it was asked to be needs no next call.
    hints = [name for name in answer.hints if name != "preflight"] if answer.status != "ok" else []
    return [*lines, *hint_lines(answer, *hints)]


def render_list_codebases(arguments: Mapping[str, Any], answer: Answer) -> list[TextLine]:
    """A path a line; the state only where the index is not ready."""
    lines = []
    for state, paths in answer.result.items():
        assert isinstance(paths, list)
        lines += [text(display(path) if state == "ready" else f"{display(path)} {_spaced(state)}") for path in paths]
    return lines or [text("no repositories")]


def render_describe(arguments: Mapping[str, Any], answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    return list(_tool_lines(result)) if "parameters" in result else [text(_repo_words(result))]


def _repo_words(result: Fields) -> str:
    words = [display(str(result["repo_root"]))]
    if "branch" in result:
        words.append(f"branch {display(str(result['branch']))}")
    if "language" in result:
        words.append(str(result["language"]))
    counts = [f"{count:,} {name}" for name, count in result.get("counts", {}).items()]
    words.append(
        f"{_spaced(result['index_status'])}: {', '.join(counts)}" if counts else _spaced(result["index_status"])
    )
    words.append(f"{result['tool_count']} tools")
    return "; ".join(words)


def _tool_lines(result: Fields) -> Iterator[TextLine]:
    """Description, one line per parameter, examples as calls."""
    yield text(f"{result['name']}: {result['description']}")
    if "use_instead" in result:
        yield text(f"use {result['use_instead']} instead")
    spec = catalog.BY_NAME[result["name"]]
    for param in spec.params:
        required = "required " if param.required and not param.unless else ""
        yield text(f"  {param.name}: {required}{_parameter_words(result['parameters'][param.name])}")
    for example in result["examples"]:
        call = " ".join([str(result["name"]), *argument_words(example["params"])])
        yield text(f"example: {call}  ({example['description']})")
    for words in result.get("when_not_to_use", ()):
        yield note(f"not {words}")


def _parameter_words(schema: Fields) -> str:
    choices = schema.get("enum") or (schema.get("items") or {}).get("enum")
    words = "|".join(map(str, choices)) if choices else str(schema["type"])
    if schema["type"] == "array" and choices:
        words = f"array of {words}"
    if "minimum" in schema and "maximum" in schema:
        words += f" {schema['minimum']}-{schema['maximum']}"
    if "default" in schema:
        words += f" = {schema['default']}"
    return f"{words}. {schema['description']}" if schema.get("description") else words


def _index_counts(result: Fields) -> Iterator[str]:
    for name in ("added", "modified", "removed", "pending"):
        count = result.get(name)
        if isinstance(count, list):
            count = len(count)
        if count:
            yield f"{count:,} {name}"
    if "files" in result:
        yield f"{result['files']:,} files"
    if result.get("bytes"):
        yield f"{result['bytes']:,} bytes"
    if result.get("reconciled_ignores"):
        yield "ignore rules changed"


def _job_lines(result: Fields) -> Iterator[TextLine]:
    job = result.get("active_job")
    if not job:
        return
    done = f" {job['files_done']:,} of {job['files_total']:,} files" if job.get("files_total") else ""
    yield text(f"{job['kind']}: {job.get('phase', 'waiting')}{done}")


def _sentence(words: str) -> str:
    """A sentence as the beginning of a line."""
    shown = words.removesuffix(".")
    return shown[:1].lower() + shown[1:]


def _spaced(name: object) -> str:
    return str(name).replace("_", " ")
