"""Tools that the suite asks for: what is listed, and the answers that our own tools never give."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

from conformance.inputs import (
    PNG,
    WAV,
    asked_input,
    elicit,
    input_required,
    list_roots,
    responses,
    sample,
    state_of,
)

Context = ServerRequestContext[Any, Any]
Params = types.CallToolRequestParams
Bus = InMemorySubscriptionBus
Own = Callable[[Context, Params, Bus], Awaitable[Any]]

FORWARDED_TEXTS = {"test_simple_text": "This is a simple text response for testing."}

_NOTHING: dict[str, object] = {"type": "object", "properties": {}}
_SCHEMA_2020_12: dict[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _needs(name: str) -> dict[str, object]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


async def _image(ctx: Context, params: Params, bus: Bus) -> Any:
    return _content(types.ImageContent(data=PNG, mime_type="image/png"))


async def _audio(ctx: Context, params: Params, bus: Bus) -> Any:
    return _content(types.AudioContent(data=WAV, mime_type="audio/wav"))


async def _embedded(ctx: Context, params: Params, bus: Bus) -> Any:
    return _content(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))


async def _mixed(ctx: Context, params: Params, bus: Bus) -> Any:
    return _content(
        types.TextContent(text="Multiple content types test:"),
        types.ImageContent(data=PNG, mime_type="image/png"),
        _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    )


async def _logging(ctx: Context, params: Params, bus: Bus) -> Any:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", line, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)
    return _text("Logged.")


async def _sampling(ctx: Context, params: Params, bus: Bus) -> Any:
    prompt = str((params.arguments or {}).get("prompt", ""))
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    answer = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    text = answer.content.text if isinstance(answer.content, types.TextContent) else ""
    return _text(f"LLM response: {text}")


async def _elicitation(ctx: Context, params: Params, bus: Bus) -> Any:
    schema = {
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    }
    answer = await ctx.session.elicit_form(str((params.arguments or {}).get("message", "")), schema, ctx.request_id)
    return _text(f"User response: action={answer.action}, content={json.dumps(answer.content)}")


async def _defaults(ctx: Context, params: Params, bus: Bus) -> Any:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicited(ctx, properties)


async def _enums(ctx: Context, params: Params, bus: Bus) -> Any:
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{n}", "title": f"{word} Option"} for n, word in ((1, "First"), (2, "Second"), (3, "Third"))
    ]
    choices = [
        {"const": f"value{n}", "title": f"{word} Choice"} for n, word in ((1, "First"), (2, "Second"), (3, "Third"))
    ]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": choices}},
    }
    return await _elicited(ctx, properties)


async def _elicited(ctx: Context, properties: Mapping[str, object]) -> Any:
    schema = {"type": "object", "properties": dict(properties)}
    answer = await ctx.session.elicit_form("Please fill this in.", schema, ctx.request_id)
    return _text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


async def _reconnection(ctx: Context, params: Params, bus: Bus) -> Any:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return _text("The answer came after the stream was closed.")


async def _missing_capability(ctx: Context, params: Params, bus: Bus) -> Any:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs sampling.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return _text("The client can sample.")


async def _streaming(ctx: Context, params: Params, bus: Bus) -> Any:
    return input_required({"user_name": elicit("What is your name?", name="string")})


async def _tools_changed(ctx: Context, params: Params, bus: Bus) -> Any:
    await bus.publish(ToolsListChanged())
    return _text("Said that the tools changed.")


async def _prompts_changed(ctx: Context, params: Params, bus: Bus) -> Any:
    await bus.publish(PromptsListChanged())
    return _text("Said that the prompts changed.")


async def _ask_name(ctx: Context, params: Params, bus: Bus) -> Any:
    name = asked_input(ctx, "user_name", "name")
    if not isinstance(name, str):
        return input_required({"user_name": elicit("What is your name?", name="string")})
    return _text(f"Hello, {name}!")


async def _ask_model(ctx: Context, params: Params, bus: Bus) -> Any:
    answer = responses(ctx).get("capital_question")
    if not isinstance(answer, dict):
        return input_required({"capital_question": sample("What is the capital of France?", 100)})
    content = answer.get("content")
    return _text(f"The model said: {content.get('text') if isinstance(content, dict) else ''}")


async def _ask_roots(ctx: Context, params: Params, bus: Bus) -> Any:
    answer = responses(ctx).get("client_roots")
    if not isinstance(answer, dict):
        return input_required({"client_roots": list_roots()})
    return _text("Roots: " + ", ".join(str(root.get("uri")) for root in answer.get("roots", ())))


async def _ask_with_state(ctx: Context, params: Params, bus: Bus) -> Any:
    if state_of(ctx) != "asked" or asked_input(ctx, "confirm", "ok") is None:
        return input_required({"confirm": elicit("Please confirm", ok="boolean")}, state="asked")
    return _text("state-ok")


async def _ask_three(ctx: Context, params: Params, bus: Bus) -> Any:
    requests = {
        "user_name": elicit("What is your name?", name="string"),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": list_roots(),
    }
    if state_of(ctx) != "three" or not set(requests) <= set(responses(ctx)):
        return input_required(requests, state="three")
    return _text("Everything was answered.")


async def _ask_twice(ctx: Context, params: Params, bus: Bus) -> Any:
    state = state_of(ctx)
    if state == "second" and asked_input(ctx, "step2", "color") is not None:
        return _text("Both steps were answered.")
    if state == "first" and asked_input(ctx, "step1", "name") is not None:
        return input_required({"step2": elicit("Step 2: What is your favorite color?", color="string")}, state="second")
    return input_required({"step1": elicit("Step 1: What is your name?", name="string")}, state="first")


async def _ask_what_is_possible(ctx: Context, params: Params, bus: Bus) -> Any:
    can = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if can is not None and can.elicitation is not None:
        requests["user_name"] = elicit("What is your name?", name="string")
    if can is not None and can.sampling is not None:
        requests["greeting"] = sample("Generate a greeting", 50)
    if can is not None and can.roots is not None:
        requests["client_roots"] = list_roots()
    if not requests or set(requests) <= set(responses(ctx)):
        return _text("Nothing is left to ask.")
    return input_required(requests)


OWN: dict[str, Own] = {
    "test_image_content": _image,
    "test_audio_content": _audio,
    "test_embedded_resource": _embedded,
    "test_multiple_content_types": _mixed,
    "test_tool_with_logging": _logging,
    "test_logging_tool": _logging,
    "test_sampling": _sampling,
    "test_elicitation": _elicitation,
    "test_elicitation_sep1034_defaults": _defaults,
    "test_elicitation_sep1330_enums": _enums,
    "test_reconnection": _reconnection,
    "test_missing_capability": _missing_capability,
    "test_streaming_elicitation": _streaming,
    "test_trigger_tool_change": _tools_changed,
    "test_trigger_prompt_change": _prompts_changed,
    "test_input_required_result_elicitation": _ask_name,
    "test_input_required_result_sampling": _ask_model,
    "test_input_required_result_list_roots": _ask_roots,
    "test_input_required_result_request_state": _ask_with_state,
    "test_input_required_result_tampered_state": _ask_with_state,
    "test_input_required_result_multiple_inputs": _ask_three,
    "test_input_required_result_multi_round": _ask_twice,
    "test_input_required_result_capabilities": _ask_what_is_possible,
}
_FORWARDED = ("test_simple_text", "test_error_handling", "test_tool_with_progress")
_SCHEMAS = {
    "test_sampling": _needs("prompt"),
    "test_elicitation": _needs("message"),
    "json_schema_2020_12_tool": _SCHEMA_2020_12,
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
}
LISTED: list[Mapping[str, object]] = [
    {"name": name, "description": f"For the suite: {name}.", "inputSchema": _SCHEMAS.get(name, _NOTHING)}
    for name in sorted({*OWN, *_FORWARDED, *_SCHEMAS})
]


def _content(*blocks: types.ContentBlock) -> types.CallToolResult:
    return types.CallToolResult(content=list(blocks))


def _text(text: str) -> types.CallToolResult:
    return _content(types.TextContent(text=text))


def _resource(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))
