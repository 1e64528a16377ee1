"""A real MCP server for the stories: `python sample_server.py stdio` or `python sample_server.py http DESCRIPTOR`.

What it was asked, and what became of it, it tells the port that SAMPLE_DIARY names, one line a connection. The
descriptor is that of a socket that already listens.
"""

import asyncio
import base64
import os
import socket
import sys
from io import BytesIO

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.types import AudioContent, ImageContent, TextContent
from PIL import Image as Drawing
from pydantic import BaseModel

server = MCPServer("sample", instructions="A server to try things with.", log_level="ERROR")


def note(line: str) -> None:
    """Tell the story that something has happened."""
    if port := os.environ.get("SAMPLE_DIARY"):
        with socket.create_connection(("127.0.0.1", int(port))) as diary:
            diary.sendall(line.encode() + b"\n")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    note(f"add {a} {b}")
    return a + b


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


@server.tool()
async def wait(ctx: Context) -> str:
    """Begin, and never come to an end."""
    note("wait began")
    await ctx.report_progress(1, 3, "waiting")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note("wait cancelled")
        raise
    return "never"


@server.tool()
async def march(steps: int, pause_s: float, ctx: Context) -> str:
    """Take some steps, and tell of each."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
        await asyncio.sleep(pause_s)
    return "arrived"


@server.tool()
def picture() -> Image:
    """Draw a red square."""
    out = BytesIO()
    Drawing.new("RGB", (4, 4), "red").save(out, "PNG")
    return Image(data=out.getvalue(), format="png")


@server.tool()
def mixed() -> list[TextContent | ImageContent | AudioContent]:
    """Give something of everything."""
    return [
        TextContent(text="first"),
        AudioContent(data=base64.b64encode(b"beep").decode(), mime_type="audio/wav"),
        ImageContent(data=base64.b64encode(b"not a picture").decode(), mime_type="image/png"),
        TextContent(text="last"),
    ]


@server.tool()
def huge(megabytes: int) -> str:
    """Give a long text."""
    return "x" * (megabytes * 1024 * 1024)


class Order(BaseModel):
    """What is asked of the human."""

    name: str
    count: int
    wrapped: bool


@server.tool()
async def order(ctx: Context) -> str:
    """Ask the human what to order."""
    answer = await ctx.elicit("What shall it be?", Order)
    note(f"order {answer.action}")
    return f"{answer.action}: {answer.data.model_dump_json() if answer.action == 'accept' else '-'}"


@server.tool()
def environment(name: str) -> str:
    """Tell a variable of the environment."""
    return os.environ.get(name, "(unset)")


@server.resource("note://today", name="today", description="The note of today.")
def today() -> str:
    """The note of today."""
    return "Buy milk."


@server.prompt()
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Say hello to {who}."


def main() -> None:
    """Serve."""
    note(f"started {os.getpid()}")
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        import uvicorn  # only here: most stories start a server that needs none of it

        config = uvicorn.Config(server.streamable_http_app(), log_level="error")
        uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[2]))])


if __name__ == "__main__":
    main()
