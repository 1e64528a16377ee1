"""Asks a service that the user configured, or a well-known one, for JSON: bounded, and never repeating the key."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from yeaft import __version__
from yeaft.kernel.errors import ModelFailed, ToolFailed

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

Scalar = str | int | bool
ERROR_CHARS = 300


class Question(Struct, frozen=True, kw_only=True):
    """One request: GET with `params`, or POST if there is a `body`. `headers` hold the key, if there is one."""

    url: str
    params: Mapping[str, Scalar] | None = None
    body: Mapping[str, Scalar] | None = None
    headers: Mapping[str, str] = {}


async def ask_service(question: Question, *, timeout_s: float, limit_bytes: int) -> Any:
    """The decoded JSON of a successful answer. Raises `ToolFailed` with a reason for the model.

    No redirect is followed, because it would carry the key elsewhere; private addresses are fine.
    """
    try:
        async with asyncio.timeout(timeout_s):
            status, body = await _exchange(question, limit_bytes)
    except TimeoutError as error:
        raise ToolFailed(f"no full answer within {timeout_s:g} s") from error
    if status not in range(200, 300):
        raise ToolFailed(f"status {status}{_said(body, question)}")
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise ToolFailed("the answer is not JSON") from error


async def _exchange(question: Question, limit_bytes: int) -> tuple[int, bytes]:
    from httpx2 import HTTPError, InvalidURL

    try:
        async with _client(question) as client, aclosing(await _sent(client, question)) as response:
            return response.status_code, await _body(response, limit_bytes)
    except (HTTPError, InvalidURL) as error:
        raise ToolFailed(f"no connection: {str(error) or type(error).__name__}") from error


def _client(question: Question) -> "AsyncClient":
    from httpx2 import AsyncClient, InvalidURL

    from yeaft.llm.tls import trusting_context

    try:
        return AsyncClient(verify=trusting_context(), timeout=None, headers={"user-agent": f"yeaft/{__version__}"})
    except ModelFailed as error:
        raise ToolFailed(error.message) from error
    except (ImportError, ValueError, InvalidURL) as error:
        raise ToolFailed(f"the proxy for {question.url} cannot be used: {error}") from error


async def _sent(client: "AsyncClient", question: Question) -> "Response":
    method = "GET" if question.body is None else "POST"
    try:
        request = client.build_request(
            method, question.url, params=question.params, json=question.body, headers=question.headers
        )
    except UnicodeEncodeError:  # its text shows the header's value
        raise ToolFailed("the key has characters that a header cannot carry") from None
    return await client.send(request, stream=True)


async def _body(response: "Response", limit_bytes: int) -> bytes:
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > limit_bytes:
                raise ToolFailed(f"the answer is larger than {limit_bytes:,} bytes")
    return bytes(body)


def _said(body: bytes, question: Question) -> str:
    """The beginning of an error's body, unless it has the key in it."""
    text = " ".join(body.decode("utf-8", "replace").split())[:ERROR_CHARS]
    keys = [value.split()[-1] for value in question.headers.values() if value.split()]
    return f": {text}" if text and not any(key in text for key in keys) else ""
