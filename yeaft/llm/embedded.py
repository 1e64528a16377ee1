"""The embedded model's own process: llama.cpp behind HTTP on loopback, speaking the Responses protocol.

`python -I -S embedded.py --site FOLDER --weights FILE --context N --parallel N`. It is a process of its own because
inference in ours would hold up the event loop, and a file that imports nothing of yeaft because it must start fast.
It prints one JSON line, `{"port": …, "token": …}` or `{"error": …}`, and lives until its stdin ends, which happens
however its parent dies.
"""

import argparse
import json
import os
import secrets
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

EXIT_FAILED = 1
TEMPERATURE = 0.2  # the weights' authors advise 0.2 and 0.9: https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct
TOP_P = 0.9
REPEAT_PENALTY, REPEAT_TOKENS = 1.1, 256  # else small models say one sentence for ever
REPLY_TOKENS = 256  # at a loss for an end it would go on to the limit of its context


def main() -> int:
    """Serve until stdin ends; return the exit code of a start that failed."""
    options = _options()
    life_line = threading.Thread(target=_exit_when_stdin_ends, name="life line", daemon=True)
    life_line.start()
    token = secrets.token_urlsafe(32)
    try:
        server = _serve(options, token)
    except (ImportError, RuntimeError, OSError) as error:
        _print({"error": f"{type(error).__name__}: {error}"})
        return EXIT_FAILED
    address: str = server.listening_address
    _print({"port": urlsplit(address).port, "token": token})
    life_line.join()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="yeaft.llm.embedded", description=__doc__)
    parser.add_argument("--site", type=Path, required=True, help="folder into which xllamacpp was installed")
    parser.add_argument("--weights", type=Path, required=True, help="GGUF file")
    parser.add_argument("--context", type=int, default=4096, help="tokens that one request may have")
    parser.add_argument("--parallel", type=int, default=2, help="requests that are answered at once")
    return parser.parse_args()


def _serve(options: argparse.Namespace, token: str) -> Any:
    """Load the weights and listen; raises what the library raises. The library carries no types."""
    sys.path.insert(0, str(options.site))
    library: Any = __import__("xllamacpp")
    params = library.CommonParams()
    params.model.path = str(options.weights)
    params.n_parallel = options.parallel
    params.n_ctx = options.context * options.parallel  # llama.cpp divides it among the requests
    params.kv_unified = False
    params.fit_params = False
    params.n_predict = REPLY_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) - 1)
    params.sampling.temp, params.sampling.top_p = TEMPERATURE, TOP_P
    params.sampling.penalty_repeat, params.sampling.penalty_last_n = REPEAT_PENALTY, REPEAT_TOKENS
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [token]
    params.ui = params.endpoint_slots = params.warmup = False
    return library.Server(params)


def _exit_when_stdin_ends() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)  # llama.cpp's own threads would keep an orderly exit waiting


def _print(line: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
