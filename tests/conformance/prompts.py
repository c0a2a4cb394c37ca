"""Prompts and completion that the suite asks for."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from conformance.inputs import PNG, asked_input, elicit, input_required

Context = ServerRequestContext[Any, Any]


def _argument(name: str, description: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=description, required=True)


LISTED = [
    types.Prompt(name="test_simple_prompt", description="A prompt without arguments."),
    types.Prompt(
        name="test_prompt_with_arguments",
        description="A prompt with two arguments.",
        arguments=[_argument("arg1", "First test argument"), _argument("arg2", "Second test argument")],
    ),
    types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="A prompt that embeds a resource.",
        arguments=[_argument("resourceUri", "URI of the resource to embed")],
    ),
    types.Prompt(name="test_prompt_with_image", description="A prompt with an image."),
    types.Prompt(name="test_input_required_result_prompt", description="A prompt that asks back."),
]


def add_to(server: Server[Any]) -> None:
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, _list)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, _get)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, _complete)


async def _list(ctx: Context, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=LISTED)


async def _get(ctx: Context, params: types.GetPromptRequestParams) -> Any:
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return _messages(types.TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            text = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
            return _messages(types.TextContent(text=text))
        case "test_prompt_with_embedded_resource":
            embedded = types.TextResourceContents(
                uri=given.get("resourceUri", ""), mime_type="text/plain", text="Embedded resource content for testing."
            )
            return _messages(
                types.EmbeddedResource(resource=embedded),
                types.TextContent(text="Please process the embedded resource above."),
            )
        case "test_prompt_with_image":
            return _messages(
                types.ImageContent(data=PNG, mime_type="image/png"),
                types.TextContent(text="Please analyze the image above."),
            )
        case "test_input_required_result_prompt":
            answer = asked_input(ctx, "user_context", "context")
            if answer is None:
                return input_required({"user_context": elicit("What context should the prompt use?", context="string")})
            return _messages(types.TextContent(text=f"Use this context: {answer}"))
    raise MCPError(types.INVALID_PARAMS, "Unknown prompt")


async def _complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    known = ("paris", "park", "party")
    found = [word for word in known if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=found, total=len(found), has_more=False))


def _messages(*contents: types.ContentBlock) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content) for content in contents])
