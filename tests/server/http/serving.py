"""A server process for tests of its life: `serving.py BASE ROOT GRACE`, which says when it answers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from codeplane.server.http.lifecycle import serve
from codeplane.server.http.mcp_server import ServerInfo
from codeplane.server.runtime_directory import RuntimeDirectory
from codeplane.tools.surface import Format
from support.http_front import TOOLS, Local


def main(base: str, root: str, grace: str) -> int:
    with RuntimeDirectory.open(Path(base), Path(root)) as runtime:
        return asyncio.run(
            serve(
                Local(),
                ServerInfo("codeplane", "9.9.9", "Instructions.", TOOLS, Format.JSON),
                repository=Path(root),
                runtime=runtime,
                api_version="0.1.0",
                port_directory=Path(root) / ".codeplane",
                grace_seconds=float(grace),
                on_started=lambda record: print(record.port, flush=True),
            )
        )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
