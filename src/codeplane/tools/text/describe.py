"""Text form of describe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note, text
from codeplane.tools import catalog
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import argument_words, spaced

Fields = Mapping[str, Any]


def render_describe(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    return list(_tool_lines(result)) if "parameters" in result else [text(_repo_words(result))]


def _repo_words(result: Fields) -> str:
    words = [display(str(result["repo_root"]))]
    if "branch" in result:
        words.append(f"branch {display(str(result['branch']))}")
    if "language" in result:
        words.append(str(result["language"]))
    counts = [f"{count:,} {name}" for name, count in result.get("counts", {}).items()]
    words.append(f"{spaced(result['index_status'])}: {', '.join(counts)}" if counts else spaced(result["index_status"]))
    words.append(f"{result['tool_count']} tools")
    return "; ".join(words)


def _tool_lines(result: Fields) -> Iterator[TextLine]:
    """Yield the description, one line per parameter, and examples as calls."""
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
