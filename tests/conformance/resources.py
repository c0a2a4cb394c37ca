"""Resources, subscriptions to them and log levels that the suite asks for."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from conformance.inputs import PNG

Context = ServerRequestContext[Any, Any]

LISTED = [
    types.Resource(uri="test://static-text", name="static-text", description="Text.", mime_type="text/plain"),
    types.Resource(uri="test://static-binary", name="static-binary", description="Image.", mime_type="image/png"),
    types.Resource(uri="test://watched-resource", name="watched", description="Watched.", mime_type="text/plain"),
]
TEMPLATES = [
    types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description="By id.", mime_type="application/json"
    )
]


def add_to(server: Server[Any]) -> None:
    server.add_request_handler("resources/list", types.PaginatedRequestParams, _list)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, _read)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, _accept)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, _accept)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _accept)


async def _list(ctx: Context, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=LISTED)


async def _templates(ctx: Context, params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)


async def _read(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-text":
        return _text(uri, "text/plain", "This is the content of the static text resource.")
    if uri == "test://watched-resource":
        return _text(uri, "text/plain", "Watched resource content.")
    if uri == "test://static-binary":
        return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
    if uri.startswith("test://template/") and uri.endswith("/data"):
        identity = uri.removeprefix("test://template/").removesuffix("/data")
        data = {"id": identity, "templateTest": True, "data": f"Data for ID: {identity}"}
        return _text(uri, "application/json", json.dumps(data, separators=(",", ":")))
    raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})


async def _accept(ctx: Context, params: types.RequestParams) -> types.EmptyResult:
    return types.EmptyResult()


def _text(uri: str, mime_type: str, text: str) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)])
