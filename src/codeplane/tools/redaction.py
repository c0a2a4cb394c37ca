"""Redaction of encoded answers: every text that leaves the engine passes here, errors and echoed arguments included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeplane.base.credentials import count_marks, may_have_credentials, redact_lines, redact_value
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice, WarningCode
from codeplane.tools.body import encode
from codeplane.tools.text.common import warning_lines


def redact_fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    """Return an envelope without keys and tokens, and with a warning if it had some."""
    before = encode(fields)
    if not may_have_credentials(before):
        return fields
    found = redact_value(fields)
    assert isinstance(found, dict)
    count = _count_new(encode(found), before)
    if count <= 0:
        return fields
    return found | {"warnings": [*found.get("warnings", ()), _notice(count).as_dict()]}


def redact_text_lines(lines: list[TextLine]) -> list[TextLine]:
    """Return the lines of an answer without keys and tokens, and with a warning if they had some."""
    before = _joined(lines)
    if not may_have_credentials(before):
        return lines
    texts, bodies = redact_lines([line.text for line in lines]), redact_lines([line.body for line in lines])
    found = [line._replace(text=text, body=body) for line, text, body in zip(lines, texts, bodies, strict=True)]
    count = _count_new(_joined(found), before)
    return [*found, *warning_lines([_notice(count)])] if count > 0 else lines


def _joined(lines: Sequence[TextLine]) -> bytes:
    return "\n".join(line.text for line in lines).encode("utf-8", "backslashreplace")


def _count_new(after: bytes, before: bytes) -> int:
    return count_marks(after.decode("utf-8")) - count_marks(before.decode("utf-8"))


def _notice(count: int) -> Notice:
    return Notice(WarningCode.SECRETS_REDACTED, {"count": count})
