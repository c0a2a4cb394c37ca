"""A real server in a repository without an index: it answers from its first second on, while it builds."""

from __future__ import annotations

from pathlib import Path

from support.mcp_client import many_files, server_place

SHOP: dict[str, str | bytes] = {
    "shop/limits.py": "MAX_BODY_BYTES = 2048\n\n\ndef limit_body(request):\n    return request[:MAX_BODY_BYTES]\n",
    ".env": "SECRET_TOKEN=limit_body\n",
}


def test_tools_answer_during_the_first_build(tmp_path: Path) -> None:
    with server_place(tmp_path, {**many_files(900), **SHOP}) as place:
        client = place.mcp("--toolsets", "all")
        client.until_building()
        literal = client.call("search", query="limit_body", mode="lexical")
        question = client.call("search", query="how large may a body be")
        named = client.call("search", query="limit_body", mode="definitions")
        text = client.call("read", target="shop/limits.py:4-5")
        outline = client.call("file_outline", file="shop/limits.py")
        secret = client.call("search", query="SECRET_TOKEN", mode="lexical")
        edit = {"path": "shop/limits.py", "expected_content": "2048", "new_content": "4096"}
        written = client.call("write_source", edits=[edit])
        changed = client.call("search", query="4096", mode="lexical")
        building = client.call("health_check")["result"]["status"] != "ready"
        assert building, "the build was over before all was asked: the test needs more files"

        assert (literal["meta"]["source"], literal["result"]["matches"]) == ("disk", 1)
        state = literal["result"]["index"]
        assert state["state"] == "building" and 0 < state["files_done"] < state["files_total"]
        assert question["result"]["results"][0]["path"] == "shop/limits.py"
        assert named["status"] == "not_ready" and named["error"]["example"]["mode"] == "lexical"
        assert text["result"]["content"].startswith("def limit_body")
        assert [symbol["name"] for symbol in outline["result"]["symbols"]] == ["MAX_BODY_BYTES", "limit_body"]
        assert secret["result"]["results"] == [] and "SECRET_TOKEN" not in str(secret["result"])
        assert written["result"]["applied"]
        assert [row["path"] for row in changed["result"]["results"]] == ["shop/limits.py"]
