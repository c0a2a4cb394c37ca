"""Keys and tokens in text: found by their unmistakable forms, and replaced by a mark that names the form.

Only forms with a fixed prefix or frame are known, so that ordinary text is left alone. The mark `[redacted:KIND]`
replaces the secret part; the body of a private key is replaced line by line, so that line numbers stay right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_AFTER_WORD = r"(?<![A-Za-z0-9_])"
_NO_WORD = r"(?![A-Za-z0-9_])"


class CredentialForm(NamedTuple):
    kind: str
    literals: tuple[str, ...]
    """Every match contains one of them."""
    pattern: re.Pattern[str]
    """Group 1 is the secret part."""


def _form(kind: str, pattern: str, *literals: str) -> CredentialForm:
    return CredentialForm(kind, literals, re.compile(pattern))


def _token(kind: str, pattern: str, *literals: str) -> CredentialForm:
    return _form(kind, f"{_AFTER_WORD}({pattern}){_NO_WORD}", *literals)


FORMS = (
    _token("aws-key-id", r"(?:AKIA|ASIA)[A-Z0-9]{16}", "AKIA", "ASIA"),
    _form(
        "aws-secret-key",
        r"(?i:aws_?secret_?(?:access_?)?key)[\"']?\s{0,4}(?::|=>?)\s{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        *("aws_secret", "AWS_SECRET", "awsSecret", "AwsSecret", "AWSSecret"),
    ),
    _token("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-token", r"github_pat_[A-Za-z0-9_]{22,255}", "github_pat_"),
    _token("gitlab-token", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|oas|agent)-[A-Za-z0-9_.-]{20,255}", "gl"),
    _form("slack-token", rf"{_AFTER_WORD}(xox[abeoprs]-[A-Za-z0-9-]{{20,255}})", "xox"),
    _form("slack-token", rf"{_AFTER_WORD}(xapp-\d-[A-Za-z0-9-]{{20,255}})", "xapp-"),
    _form(
        "slack-webhook",
        r"hooks\.slack\.com/services/(T[A-Z0-9]{6,20}/B[A-Z0-9]{6,20}/[A-Za-z0-9]{18,40})",
        "hooks.slack.com",
    ),
    _token("stripe-key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}", "k_live_", "k_test_"),
    _token("stripe-key", r"whsec_[A-Za-z0-9+/]{24,255}", "whsec_"),
    _token("google-key", r"AIza[A-Za-z0-9_-]{35}", "AIza"),
    _token("google-key", r"GOCSPX-[A-Za-z0-9_-]{28}", "GOCSPX-"),
    _token("openai-key", r"sk-[A-Za-z0-9_-]{10,100}T3BlbkFJ[A-Za-z0-9_-]{10,100}", "T3BlbkFJ"),
    _token("openai-key", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,255}", "sk-"),
    _token("openai-key", r"sk-[A-Za-z0-9]{48}", "sk-"),
    _token("anthropic-key", r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{40,255}", "sk-ant-"),
    _token("npm-token", r"npm_[A-Za-z0-9]{36}", "npm_"),
    _token("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{50,512}", "pypi-AgE"),
    _token("sendgrid-key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", "SG."),
    _token("huggingface-token", r"hf_[A-Za-z0-9]{34}", "hf_"),
    _token("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}", "_v1_"),
    _token("databricks-token", r"dapi[a-f0-9]{32}", "dapi"),
    _token("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shp"),
    _token("vault-token", r"hv[sb]\.[A-Za-z0-9_-]{24,255}", "hvs.", "hvb."),
    _token("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,90}", ".atlasv1."),
    _token("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "AGE-SECRET-KEY-1"),
    _form("azure-key", r"AccountKey=([A-Za-z0-9+/]{86}==)", "AccountKey="),
    _form(
        "jwt",
        rf"{_AFTER_WORD}(eyJ[A-Za-z0-9_-]{{8,4096}}\.eyJ[A-Za-z0-9_-]{{8,4096}}(?:\.[A-Za-z0-9_-]{{0,1024}})?)",
        "eyJ",
    ),
    # A key on one line, its line ends escaped or left out.
    _form(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----([^\n-]{0,4}[A-Za-z0-9+/][^\n]{15,20000}?)"
        r"(?=-----END|[\"'`]|$)",
        "PRIVATE KEY",
    ),
)

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_FRAME = "PRIVATE KEY"
PRIVATE_KEY = _KEY_FRAME.encode()
"""Part of every text with a private key."""
_KEY_LINE = re.compile(
    r"(?P<before>(?:[^A-Za-z0-9/=]*\d{1,9}[\s|:+-])?[^A-Za-z0-9/=]*)(?P<body>[A-Za-z0-9+/=]{4,}?)"
    r"(?P<after>(?:\\[nr])*[^A-Za-z0-9/=]*)"
)
"""A line of the body, after a line number, a sign of a diff or a quote."""
_MAX_KEY_LINE = 300
_MIN_KEY_LINE = 24
"""Shorter words are everywhere."""
_KEY_HEADER = re.compile(r"[^A-Za-z]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):.*|(?:\\[nr])*[^A-Za-z]*)")
_MARK = "[redacted:{}]"
_MARK_START = "[redacted:"
_MARKS = re.compile(r"\[redacted:(?:" + "|".join(sorted({form.kind for form in FORMS})) + r")\]")
_KEY_MARK = _MARK.format("private-key")


def may_have_credentials(body: bytes) -> bool:
    """True if UTF-8 text, or JSON, contains a literal of any form; fast."""
    return any(literal in body for literal in _LITERALS)


_LITERALS = tuple(dict.fromkeys(literal.encode() for form in FORMS for literal in form.literals))


def find_credentials(text: str) -> list[int]:
    """Return where keys and tokens begin, in order."""
    found = {match.start(1) for form in _forms_in(text) for match in form.pattern.finditer(text)}
    return sorted(found | {match.start() for match in _KEY_BEGIN.finditer(text)})


def count_marks(text: str) -> int:
    """Return the number of marks that `redact` has left."""
    return len(_MARKS.findall(text)) if _MARK_START in text else 0


def redact(text: str, *, in_key: bool = False) -> str:
    """Return the text with marks in place of keys and tokens. `in_key`: it begins within a private key."""
    if in_key or _KEY_FRAME in text:
        text = "\n".join(_redact_keys(text.split("\n"), in_key=in_key))
    for form in _forms_in(text):
        text = form.pattern.sub(lambda match, kind=form.kind: _marked(match, kind), text)  # type: ignore[misc]
    return text


def redact_value(value: object) -> object:
    """Return a JSON value with all of its strings redacted; a list of strings counts as the lines of one text."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: redact_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, str) for item in value):
            return redact_lines(value)
        return [redact_value(item) for item in value]
    return value


def redact_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of one text, redacted; a line may itself have line ends."""
    if not any(_KEY_FRAME in line for line in lines):
        return [redact(line) for line in lines]
    flat = redact("\n".join(lines)).split("\n")
    ends = [line.count("\n") + 1 for line in lines]
    found = []
    for count in ends:
        found.append("\n".join(flat[:count]))
        del flat[:count]
    return found


def is_key_line(line: str) -> bool:
    """True if a line may belong to the body of a private key."""
    if len(line) > _MAX_KEY_LINE:
        return False
    found = _KEY_LINE.fullmatch(line)
    return found is not None and len(found["body"]) >= _MIN_KEY_LINE


def is_in_key(data: bytes, offset: int) -> bool:
    """True if the line at an offset belongs to a private key that begins before it."""
    begin = data.rfind(b"-----BEGIN ", 0, offset)
    if begin < 0 or b"-----END " in data[begin:offset]:
        return False
    return _KEY_BEGIN.match(data[begin : begin + 100].decode("ascii", "replace")) is not None


def _forms_in(text: str) -> Iterator[CredentialForm]:
    for form in FORMS:
        if any(literal in text for literal in form.literals):
            yield form


def _marked(match: re.Match[str], kind: str) -> str:
    whole, start = match[0], match.start()
    return whole[: match.start(1) - start] + _MARK.format(kind) + whole[match.end(1) - start :]


def _redact_keys(lines: Sequence[str], *, in_key: bool) -> Iterator[str]:
    for line in lines:
        if _KEY_BEGIN.search(line):
            in_key = True
        elif in_key:
            found = _KEY_LINE.fullmatch(line) if len(line) <= _MAX_KEY_LINE else None
            if found is not None:
                line = f"{found['before']}{_KEY_MARK}{found['after']}"
            elif _KEY_HEADER.fullmatch(line) is None:
                in_key = False
        yield line
