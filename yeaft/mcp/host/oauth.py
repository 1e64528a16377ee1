"""Logging in at servers over HTTP: tokens that are kept are used and renewed; a new login needs the user's browser."""

from __future__ import annotations

import asyncio
import html
import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from msgspec import Struct
from pydantic import BaseModel

from yeaft.mcp.host.shared_login import SharedLogin
from yeaft.mcp.host_protocol import AnyNews, Connect, LoginAt

CALLBACK_PATH = "/callback"
HOST = "127.0.0.1"
LOGIN_TIMEOUT_S = 300.0
REQUEST_BYTES = 64 * 1024
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class _Kept(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is in the file: documents of the protocol as JSON. `expires_at` is in seconds since 1970; 0 is unknown."""

    tokens: str = ""
    expires_at: float = 0.0
    client: str = ""
    login_server: str = ""
    login_server_url: str = ""
    resource: str = ""


class TokenFile:
    """The tokens for one server in a file that only its user can read; see `mcp.client.auth.TokenStorage`.

    One that is `fresh` begins as if there were no file, which is replaced once there are new tokens.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._kept = _Kept() if fresh else _read(path)
        self._context: OAuthContext | None = None

    def attend(self, context: OAuthContext) -> None:
        """Give a login what was known at the last one, and keep what it learns; else no token could be renewed."""
        self._context = context
        kept = self._kept
        if kept.expires_at:
            context.token_expiry_time = kept.expires_at
        if kept.login_server:
            context.oauth_metadata = OAuthMetadata.model_validate_json(kept.login_server)
        if kept.resource:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate_json(kept.resource)
        context.auth_server_url = kept.login_server_url or None

    def take_over(self) -> None:
        """Use the tokens that another process has written since."""
        found = _read(self.path)
        if self._context is not None and found.tokens and found.tokens != self._kept.tokens:
            self._kept = found
            self._context.current_tokens = OAuthToken.model_validate_json(found.tokens)
            self._context.token_expiry_time = found.expires_at or None

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens of the last login; None if there was none."""
        return OAuthToken.model_validate_json(self._kept.tokens) if self._kept.tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        context = self._context
        self._kept = msgspec.structs.replace(
            self._kept,
            tokens=tokens.model_dump_json(),
            expires_at=time.time() + tokens.expires_in if tokens.expires_in else 0.0,
            login_server=_json(context.oauth_metadata if context else None),
            login_server_url=(context.auth_server_url if context else None) or "",
            resource=_json(context.protected_resource_metadata if context else None),
        )
        self.path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        aside.touch(mode=PRIVATE_FILE)
        aside.write_bytes(msgspec.json.encode(self._kept))
        aside.replace(self.path)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """How we are known to the server."""
        return OAuthClientInformationFull.model_validate_json(self._kept.client) if self._kept.client else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep how we are known to the server, together with the next tokens."""
        self._kept = msgspec.structs.replace(self._kept, client=client_info.model_dump_json())


def _read(path: Path) -> _Kept:
    """What is kept; nothing if it cannot be read, which means that the user has to log in again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return _Kept()


def _json(document: BaseModel | None) -> str:
    return document.model_dump_json() if document is not None else ""


class Browser:
    """A page on loopback to which the browser comes back after a login; it is served while somebody waits for it."""

    def __init__(self, server: str, tell: Callable[[AnyNews], None]) -> None:
        self._server = server
        self._tell = tell
        self._came: asyncio.Future[AuthorizationCodeResult] | None = None
        self._listener: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        """Begin to listen on a free port."""
        self._came = asyncio.get_running_loop().create_future()
        self._listener = await asyncio.start_server(self._serve, HOST, 0)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def go(self, url: str) -> None:
        """Tell the user where to log in."""
        self._tell(LoginAt(server=self._server, url=url))

    async def come_back(self) -> AuthorizationCodeResult:
        """Wait for the browser. Raises `OAuthFlowError` if it does not come, or comes with a refusal."""
        assert self._came is not None
        try:
            async with asyncio.timeout(LOGIN_TIMEOUT_S):
                return await self._came
        except TimeoutError as error:
            raise OAuthFlowError(f"nobody logged in within {LOGIN_TIMEOUT_S:.0f} s") from error
        finally:
            if self._listener is not None:
                self._listener.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            words = (await reader.readline())[:REQUEST_BYTES].split()
        except ValueError:  # a line longer than a reader keeps
            words = []
        address = urlsplit(words[1].decode("ascii", "replace")) if len(words) > 1 else urlsplit("")
        is_ours = address.path == CALLBACK_PATH
        text = self._took(parse_qs(address.query)) if is_ours else "There is nothing here."
        body = f"<!doctype html><meta charset=utf-8><title>yeaft</title><p>{html.escape(text)}</p>".encode()
        status = "200 OK" if is_ours else "404 Not Found"
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    def _took(self, query: dict[str, list[str]]) -> str:
        assert self._came is not None
        fields = {name: values[0] for name, values in query.items()}
        if self._came.done():
            return "This login is over."
        if "code" not in fields:
            reason = fields.get("error_description") or fields.get("error") or "no code was sent"
            self._came.set_exception(OAuthFlowError(f"the login was refused: {reason}"))
            return f"The login was refused: {reason}"
        came = AuthorizationCodeResult(code=fields["code"], state=fields.get("state"), iss=fields.get("iss"))
        self._came.set_result(came)
        return "You are logged in. You can close this page and go back to the terminal."


async def authorization(order: Connect, tell: Callable[[AnyNews], None]) -> OAuthClientProvider | None:
    """What authorizes requests to a server: nothing before the first login, which only `order.login` may begin."""
    storage = TokenFile(Path(order.tokens), fresh=order.login)
    if order.login:
        browser = Browser(order.server.name, tell)
        await browser.open()
        provider = OAuthClientProvider(
            order.server.url, _metadata(browser.port), storage, browser.go, browser.come_back
        )
    elif await storage.get_tokens() is None:
        return None
    else:
        provider = SharedLogin(order.server.url, _metadata(0), storage, _nobody_there, _nobody_comes)
        provider.tokens = storage
    storage.attend(provider.context)
    return provider


def _metadata(port: int) -> OAuthClientMetadata:
    return OAuthClientMetadata.model_validate(
        {
            "client_name": "yeaft",
            "redirect_uris": [f"http://{HOST}:{port}{CALLBACK_PATH}"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
    )


async def _nobody_there(_: str) -> None:
    raise OAuthFlowError("the login has expired")


async def _nobody_comes() -> AuthorizationCodeResult:
    raise OAuthFlowError("the login has expired")
