"""Reply to a call that failed before reaching a tool, in the format of its client. Quick to import."""

from __future__ import annotations

import json

from codeplane.base.envelope import error_envelope, new_request_id, status_of
from codeplane.base.errors import CodePlaneError
from codeplane.base.text_lines import agent_text
from codeplane.tools.calls import CallReply
from codeplane.tools.surface import Format
from codeplane.tools.text.common import error_lines


def failure_reply(error: CodePlaneError, tool: str, form: Format) -> CallReply:
    is_error = status_of(error) == "error"
    if form is Format.TEXT:
        return CallReply(agent_text(error_lines(error, tool, {})).encode("utf-8", "backslashreplace"), is_error, False)
    fields = error_envelope(error, {"request_id": new_request_id()})
    return CallReply(json.dumps(fields, separators=(",", ":"), default=str).encode("ascii"), is_error)
