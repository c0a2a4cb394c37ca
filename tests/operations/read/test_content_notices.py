"""Notices about hidden characters and credentials, without false positives for legitimate text."""

from __future__ import annotations

import pytest

from codeplane.base.paths import RepoPath
from codeplane.operations.read.content_notices import content_notices

PATH = RepoPath("a.py")

HIDING = {
    "early return": "'''Subtract\u202e\u2066 ;return\u2069\u2066'''\n",
    "commenting out": "/* \u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */\n",
    "stretched string": 'if (level != "user\u202e \u2066// Check\u2069 \u2066") {\n',
    "invisible name": "def is\u200badmin(): pass\n",
    "homoglyph filler": "const { timeout,\u3164} = req.query;\n",
    "word joiner": "pass\u2060word\n",
    "tags": "hello \U000e0041\U000e0042\n",
    "variation selectors": "x\ufe01\ufe02\ufe03\n",
    "supplementary selectors": "😀\U000e0100\U000e0101\n",
    "ansi": "\x1b[2J\x1b]52;c;aGk=\x07\n",
    "backspace": "safe\x08\x08\x08\x08evil\n",
    "c1 control": "a\x9bb\n",
    "line separator": "// ok\u2028 evil()\n",
    "mark within": "a\ufeffb\n",
    "soft hyphen": "pass\u00adword\n",
    "joiner in a name": "is\u200dadmin\n",
    "arabic mark": "a\u061cb\n",
}
HONEST = {
    "ascii": "def f():\n\treturn 1\r\n\x0c\n",
    "german": "größe = 'ß'\n",
    "family": "# 👨\u200d👩\u200d👧 family\n",
    "heart": "# ❤\ufe0f\u200d🔥\n",
    "profession": "# 👩\u200d⚕\ufe0f\n",
    "flag": "# \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\n",
    "persian": "# می\u200cخواهم\n",
    "hindi": "# क्\u200dष\n",
    "presentation": "# ✔\ufe0f done\n",
}


@pytest.mark.parametrize("name", HIDING)
def test_hidden_characters_are_reported(name: str) -> None:
    content = "first\n" + HIDING[name]
    (notice,) = content_notices(PATH, content, 10, shows_secrets=True)
    told = notice.as_dict()
    assert told["code"] == "HIDDEN_UNICODE" and told["path"] == "a.py"
    line, column = map(int, told["at"][0].split(":"))  # type: ignore[index]
    assert line == 11
    assert f"U+{ord(HIDING[name][column - 1]):04X}" in told["characters"]  # type: ignore[operator]


@pytest.mark.parametrize("name", HONEST)
def test_legitimate_scripts_are_not_reported(name: str) -> None:
    assert content_notices(PATH, HONEST[name], 1, shows_secrets=True) == ()


def test_positions_are_bounded_and_counted() -> None:
    (notice,) = content_notices(PATH, "\u200b\n" * 50, 1, shows_secrets=True)
    assert notice.about["count"] == 50 and notice.about["at"] == ["1:1", "2:1", "3:1", "4:1", "5:1"]


# Concatenated here, so that no scanner reports this file as a leak.
KEYS = {
    "aws": "AKIA" + "ABCDEFGHIJKLMNOP",
    "github": "ghp_" + "a1B2" * 9,
    "github fine": "github_pat_" + "a1B2c3D4e5" * 7,
    "slack": "xoxb-" + "1234567890-" * 2 + "abcdefgh",
    "pem": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "pem plain": "-----BEGIN " + "PRIVATE KEY-----",
    "jwt": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
}


@pytest.mark.parametrize("name", KEYS)
def test_credentials_are_counted_and_never_shown(name: str) -> None:
    (notice,) = content_notices(PATH, f"a\nkey = '{KEYS[name]}'\n", 5, shows_secrets=True)
    assert notice.as_dict() | {"message": ""} == {
        "code": "SECRETS_IN_TEXT",
        "message": "",
        "path": "a.py",
        "lines": [6],
        "count": 1,
    }


@pytest.mark.parametrize("text", ["AKIA", "ghp_short", "eyJ.eyJ.x", "xoxb-", "-----BEGIN PUBLIC KEY-----", "a" * 5000])
def test_lookalikes_of_credentials_are_not_reported(text: str) -> None:
    assert content_notices(PATH, text, 1, shows_secrets=True) == ()
