"""Keys and tokens: which texts are redacted, which are left alone, and that line numbers stay right."""

from __future__ import annotations

import base64
import random

import pytest

from codeplane.base.credentials import (
    count_marks,
    find_credentials,
    is_in_key,
    may_have_credentials,
    redact,
    redact_lines,
    redact_value,
)

_chance = random.Random(20)
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def letters(count: int, alphabet: str = _LETTERS) -> str:
    return "".join(_chance.choices(alphabet, k=count))


def hexadecimal(count: int) -> str:
    return letters(count, "0123456789abcdef")


# Made here, so that no scanner reports this file as a leak.
TOKENS = {
    "aws-key-id": ["AKIA" + letters(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "AKIA" + "IOSFODNN7EXAMPLE"],
    "github-token": ["ghp_" + letters(36), "ghs_" + letters(36), "github_pat_" + letters(22) + "_" + letters(59)],
    "gitlab-token": ["glpat-" + letters(20), "glrt-" + letters(20)],
    "slack-token": ["xoxb-" + "1234567890-" * 2 + letters(24), "xapp-1-" + letters(40)],
    "stripe-key": ["sk_live_" + letters(24), "rk_test_" + letters(24), "whsec_" + letters(32)],
    "google-key": ["AIza" + letters(35), "GOCSPX-" + letters(28)],
    "openai-key": ["sk-" + letters(20) + "T3BlbkFJ" + letters(20), "sk-proj-" + letters(48), "sk-" + letters(48)],
    "anthropic-key": ["sk-ant-api03-" + letters(93)],
    "npm-token": ["npm_" + letters(36)],
    "pypi-token": ["pypi-AgEIcHlwaS5vcmc" + letters(60)],
    "sendgrid-key": ["SG." + letters(22) + "." + letters(43)],
    "huggingface-token": ["hf_" + letters(34)],
    "digitalocean-token": ["dop_v1_" + hexadecimal(64)],
    "databricks-token": ["dapi" + hexadecimal(32)],
    "shopify-token": ["shpat_" + hexadecimal(32)],
    "vault-token": ["hvs." + letters(24)],
    "terraform-token": [letters(14) + ".atlasv1." + letters(67)],
    "age-key": ["AGE-SECRET-KEY-1" + letters(58, "ABCDEFGHJKLMNPQRSTUVWXYZ023456789")],
    "jwt": ["eyJ" + letters(20) + ".eyJ" + letters(30) + "." + letters(43)],
}
FRAMES = ("{}", "key = '{}'", 'KEY="{}"  # now', '{{"token": "{}"}}', "Authorization: Bearer {}\\n", "({})", "a={},")


@pytest.mark.parametrize(("kind", "token"), [(kind, token) for kind, some in TOKENS.items() for token in some])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_token_is_replaced_wherever_it_stands(kind: str, token: str, frame: str) -> None:
    text = frame.format(token)
    assert redact(text) == frame.format(f"[redacted:{kind}]")
    assert may_have_credentials(text.encode()) and find_credentials(text) == [text.index(token)]
    assert redact(redact(text)) == redact(text)


def test_the_secret_part_of_an_assignment_or_address_is_replaced() -> None:
    secret = letters(40)
    for name in ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "awsSecretAccessKey"):
        assert redact(f"{name} = '{secret}'") == f"{name} = '[redacted:aws-secret-key]'"
    assert redact(f"AccountKey={letters(86)}==;x") == "AccountKey=[redacted:azure-key];x"
    address = "https://hooks.slack.com/services/"
    assert redact(f"{address}T{letters(8, 'ABC123')}/B{letters(8, 'ABC123')}/{letters(24)}") == (
        f"{address}[redacted:slack-webhook]"
    )


LOOKALIKES = [
    "AKIA",
    "task-force-one",
    "AKIAIOSFODNN7EXAMPLEX",
    "ghp_short",
    "eyJ.eyJ.x",
    "xoxb-",
    "sk-learn",
    "sk-" + "a" * 47,
    "disk-" + "a" * 48,
    hexadecimal(64),
    hexadecimal(40),
    "sha512-" + base64.b64encode(b"x" * 64).decode(),
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
    'if "-----BEGIN PRIVATE KEY-----" in text:\n    return parse(text)\nconfiguration\n',
    'BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = "-----END PRIVATE KEY-----"\n',
    "SG.short.short",
    "npm_config_registry_and_other_variables_x",
    "hf_hub_download_of_some_model_from_there",
    "a" * 5000,
]


@pytest.mark.parametrize("text", LOOKALIKES)
def test_lookalikes_are_left_alone(text: str) -> None:
    assert redact(text) == text


BODY = [base64.b64encode(_chance.randbytes(48)).decode() for _ in range(6)] + ["Zm9vYmFyYmF6cXV4Zm9vYg=="]
FRAME = "-----{} RSA " + "PRIVATE KEY-----"
KEY = [FRAME.format("BEGIN"), "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,0123", "", *BODY, FRAME.format("END")]


@pytest.mark.parametrize("prefix", ["", "    ", "# ", "12\t", "12\t+", " 7 | ", "-", "    '"])
@pytest.mark.parametrize("suffix", ["", "\\n'", '\\n" +', "\r"])
def test_the_body_of_a_key_is_replaced_line_by_line(prefix: str, suffix: str) -> None:
    lines = ["before = 1", *(f"{prefix}{line}{suffix}" for line in KEY), "after_the_key = 2"]
    found = redact("\n".join(lines)).split("\n")
    assert len(found) == len(lines) and found[0] == lines[0] and found[-1] == lines[-1]
    assert not any(line in "\n".join(found) for line in BODY)
    assert count_marks("\n".join(found)) == len(BODY)
    assert redact_lines(lines) == found and redact_value({"content": lines}) == {"content": found}


@pytest.mark.parametrize("end", ["\\n", "\\r\\n", " "])
def test_a_key_on_one_line_is_replaced(end: str) -> None:
    text = f'KEY = "{end.join((KEY[0], *BODY, KEY[-1]))}{end}"'
    assert redact(text) == f'KEY = "{KEY[0]}[redacted:private-key]{KEY[-1]}{end}"'


def test_a_part_that_begins_within_a_key_is_replaced() -> None:
    text = "\n".join(["x = 1", *KEY, "y = 2"])
    data = text.encode()
    inside, after = text.index(BODY[2]), text.index("y = 2")
    assert is_in_key(data, inside) and not is_in_key(data, after) and not is_in_key(data, 0)
    found = redact(text[inside:], in_key=True)
    assert not any(line in found for line in BODY) and found.endswith("y = 2")


def test_keys_of_a_mapping_and_other_values_stay() -> None:
    token = TOKENS["github-token"][0]
    value = {"a": [1, None, True, {"b": f"x {token}"}], token: 2.5}
    assert redact_value(value) == {"a": [1, None, True, {"b": "x [redacted:github-token]"}], token: 2.5}
