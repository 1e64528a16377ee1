"""A server without the SDK that does one thing wrong, or `able` nothing: `python odd_server.py KIND`; see the functions below."""

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

KIND = sys.argv[1]
LONG = "a_rather_long_name_for_a_tool_that_does_next_to_nothing_but_does_it_well_and_often_number_"


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    if port := os.environ.get("SAMPLE_DIARY"):
        with socket.create_connection(("127.0.0.1", int(port))) as diary:
            diary.sendall(line.encode() + b"\n")


def tool(name: str, description: str = "Does it.", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {}}, **more}


def tools() -> list[dict[str, Any]]:
    if KIND == "many":
        return [tool(f"{LONG}{number}", f"Sings song {number} of the {number % 7} seas.") for number in range(200)]
    if KIND == "broken":
        return [
            tool("fine"),
            tool("no_schema", inputSchema=None),
            tool(
                "cycle",
                inputSchema={
                    "type": "object",
                    "properties": {"x": {"$ref": "#/$defs/A"}},
                    "$defs": {"A": {"$ref": "#/$defs/A"}},
                },
            ),
            tool(
                "wrong",
                inputSchema={"type": "object", "properties": {"y": {"type": "str", "minimum": "1"}}, "required": "y"},
            ),
            tool("hidden", "Be\u202e good\u200b\n\nand <b>kind</b>" + "\U000e0041"),
            {"name": 7},
            "nonsense",
            tool(
                "typed",
                outputSchema={"type": "object", "required": ["never"], "properties": {"never": {"type": "string"}}},
            ),
        ]
    if KIND == "words":
        words = os.environ.get("SAMPLE_WORDS")
        text = Path(words).read_text(encoding="utf-8") if words else "Does it."
        return [tool("steady"), *(tool(*line.split(":", 1)) for line in text.splitlines() if ":" in line)]
    if KIND == "able":
        return [tool(name, inputSchema={"type": "object"}) for name in ("add", "wait", "environment")]
    return [tool("it")]


def contents(name: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    if KIND != "able":
        return [{"type": "text", "text": f"did {name}"}, {"type": "hologram", "x": 1}]
    text = str(given["a"] + given["b"]) if name == "add" else os.environ.get(given["name"], "(unset)")
    return [{"type": "text", "text": text}]


def answer(request: dict[str, Any]) -> None:
    method, number = request.get("method"), request.get("id")
    if method == "notifications/cancelled":
        note("wait cancelled")
    if number is None:
        return
    if method == "initialize":
        if KIND == "hangs":
            note("hangs")
            signal.pause()
        if KIND == "dies":
            sys.stderr.write("no, I do not want to\n")
            sys.exit(3)
        result: dict[str, Any] = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "odd", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": tools()}
    elif method == "tools/call":
        name = request["params"]["name"]
        note(f"call {name}")
        if name == "relist":
            say({"method": "notifications/tools/list_changed"})
        if name == "wait":
            note("wait began")
            return
        result = {"content": contents(name, request["params"].get("arguments") or {})}
    else:
        say({"id": number, "error": {"code": -32601, "message": "What?"}})
        return
    say({"id": number, "result": result})


def main() -> None:
    if KIND == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note(f"started {os.getpid()}")
    if KIND == "noisy":
        print("Welcome to the noisy server!")
        print("\x1b[31mLoading\x1b[0m {not json} \udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    if KIND == "chatty":
        for number in range(40_000):
            print(f"DEBUG {number} " + "x" * 90, file=sys.stderr)
    for line in sys.stdin:
        if KIND == "noisy":
            print(f"DEBUG: got {line[:40]!r}")
        answer(json.loads(line))
    if KIND == "stubborn":
        signal.pause()


if __name__ == "__main__":
    main()
