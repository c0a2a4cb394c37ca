"""Valid JSON-RPC messages are parsed; everything else is rejected."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.server.strict_json import (
    INVALID_REQUEST,
    MAX_DEPTH,
    MAX_MEMBERS,
    PARSE_ERROR,
    MalformedMessage,
    error_response,
    parse_message,
)


def call(arguments: str) -> bytes:
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{arguments}}}'.encode()


def nested(depth: int) -> bytes:
    return call('{"a":' + "[" * (depth - 2) + "]" * (depth - 2) + "}")


REFUSED = {
    "nested 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, INVALID_REQUEST),
    "objects nested 100,000 deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, INVALID_REQUEST),
    "opened and never closed": (b"[" * 1_000_000, INVALID_REQUEST),
    "one level too deep": (nested(MAX_DEPTH + 1), INVALID_REQUEST),
    "a million keys": (call("{" + ",".join(f'"{n}":0' for n in range(300_000)) + "}"), INVALID_REQUEST),
    "a million empty arrays": (call('{"a":[' + ",".join(["[]"] * 1_000_000) + "]}"), INVALID_REQUEST),
    "a million numbers": (call('{"a":[' + "0," * 1_000_000 + "0]}"), INVALID_REQUEST),
    "nothing but quotes": (b'"' * 3_000_000, INVALID_REQUEST),
    "an open string of escaped quotes": (b'"' + b'\\"' * 2_000_000, PARSE_ERROR),
    "the same key twice": (call('{"a":1,"a":2}'), INVALID_REQUEST),
    "the same key twice, deep": (call('{"a":[{"b":{"c":1,"c":1}}]}'), INVALID_REQUEST),
    "the same key twice, once escaped": (call('{"a":1,"\\u0061":2}'), INVALID_REQUEST),
    "method twice": (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', INVALID_REQUEST),
    "infinite by exponent": (call('{"a":1e999}'), PARSE_ERROR),
    "NaN": (call('{"a":NaN}'), PARSE_ERROR),
    "Infinity": (call('{"a":-Infinity}'), PARSE_ERROR),
    "lone high surrogate": (call('{"a":"\\ud800"}'), PARSE_ERROR),
    "lone low surrogate": (call('{"a":"\\udc00x"}'), PARSE_ERROR),
    "surrogate as bytes": (b'{"jsonrpc":"2.0","method":"\xed\xa0\x80"}', PARSE_ERROR),
    "not UTF-8": (b'{"jsonrpc":"2.0","method":"\xff"}', PARSE_ERROR),
    "byte order mark": (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', PARSE_ERROR),
    "UTF-16": ('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"), PARSE_ERROR),
    "batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID_REQUEST),
    "empty batch": (b"[]", INVALID_REQUEST),
    "number": (b"1", INVALID_REQUEST),
    "null": (b"null", INVALID_REQUEST),
    "nothing": (b"", PARSE_ERROR),
    "cut off": (b'{"jsonrpc":"2.0","id":1', PARSE_ERROR),
    "two messages": (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', PARSE_ERROR),
    "comment": (b'{"jsonrpc":"2.0","id":1,"method":"ping"/**/}', PARSE_ERROR),
    "id true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST),
    "id fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
    "id beyond 64 bits": (b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"}', INVALID_REQUEST),
    "id object": (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', INVALID_REQUEST),
    "id array": (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', INVALID_REQUEST),
    "id of a megabyte": (json.dumps({"jsonrpc": "2.0", "id": "x" * 2**20, "method": "ping"}).encode(), INVALID_REQUEST),
    "Method": (b'{"jsonrpc":"2.0","id":1,"Method":"ping"}', INVALID_REQUEST),
    "no version": (b'{"id":1,"method":"ping"}', INVALID_REQUEST),
    "version 1.0": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID_REQUEST),
    "version as a number": (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', INVALID_REQUEST),
    "method a number": (b'{"jsonrpc":"2.0","id":1,"method":1}', INVALID_REQUEST),
    "method empty": (b'{"jsonrpc":"2.0","id":1,"method":""}', INVALID_REQUEST),
    "params an array": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', INVALID_REQUEST),
    "result and error": (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', INVALID_REQUEST),
    "response without id": (b'{"jsonrpc":"2.0","result":{}}', INVALID_REQUEST),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_documents_are_rejected(name: str) -> None:
    body, code = REFUSED[name]
    started = time.process_time()
    with pytest.raises(MalformedMessage) as caught:
        parse_message(body)
    assert caught.value.rpc_code == code
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
        b' \n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n',
        call('{"text":"[[[[{{{{:::: \\\\\\" ,,,, \\\\"}'),
        call('{"text":"\\\\\\\\","a":"\\"","b":"\\ud83d\\ude00"}'),
        call(json.dumps({"text": "[" * 100_000 + '"\\' * 100_000})),
        nested(MAX_DEPTH),
        call("{" + ",".join(f'"{n}":0' for n in range(MAX_MEMBERS - 4)) + "}"),
    ],
    ids=range(12),
)
def test_valid_documents_parse_like_the_standard_library(body: bytes) -> None:
    assert parse_message(body) == json.loads(body)


def test_size_is_bounded_before_anything_else() -> None:
    body = call(json.dumps({"text": "x" * 1000}))
    assert parse_message(body, max_bytes=len(body))
    with pytest.raises(MalformedMessage):
        parse_message(body, max_bytes=len(body) - 1)


def test_rejection_carries_the_request_id() -> None:
    with pytest.raises(MalformedMessage) as caught:
        parse_message(b'{"jsonrpc":"2.0","id":"seven","method":7}')
    answer = json.loads(error_response(caught.value))
    assert answer["id"] == "seven"
    assert answer["error"]["code"] == INVALID_REQUEST


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(st.dictionaries(st.text(), json_values, max_size=5), st.booleans(), st.sampled_from([None, 2]))
def test_serialized_messages_round_trip(params: dict[str, object], ascii_only: bool, indent: int | None) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    try:
        body = json.dumps(message, ensure_ascii=ascii_only, indent=indent).encode()
    except UnicodeEncodeError:
        return
    assert parse_message(body) == message


@given(st.binary(max_size=200) | st.text(alphabet='{}[]":,\\1eE- nul', max_size=200).map(str.encode))
def test_any_bytes_parse_or_are_rejected(body: bytes) -> None:
    with contextlib.suppress(MalformedMessage):
        parse_message(body)


def test_large_messages_are_parsed_in_linear_time() -> None:
    def cpu_seconds(edits: int) -> float:
        sent = [{"path": f"src/module_{n}.py", "line": n, "text": "    return value\n" * 5} for n in range(edits)]
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"edits": sent}}).encode()
        started = time.process_time()
        parse_message(body)
        return time.process_time() - started

    assert min(cpu_seconds(6_000) for _ in range(5)) < 30 * min(cpu_seconds(700) for _ in range(5)) + 0.05
