"""The entry point: answers `--version` and `--help` at once, and leaves all else to the command line proper."""

import os
import sys


def main() -> None:
    """Run yeaft; never returns."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]):
        from yeaft import __version__

        _show(f"yeaft {__version__}\n")
        return
    if words in (["--help"], ["-h"]):
        from yeaft.interfaces.cli.help_text import HELP

        _show(HELP)
        return
    if sys.platform == "win32":
        print("yeaft runs on Linux and macOS; on Windows use WSL.", file=sys.stderr)
        sys.exit(78)
    try:
        from yeaft.interfaces.cli.entry import run

        run(words)
    except KeyboardInterrupt:
        sys.exit(130)


def _show(text: str) -> None:
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        os._exit(141)  # or the interpreter would complain on its way out
    except OSError as error:
        print(f"yeaft: Standard output could not be written: {error.strerror}.", file=sys.stderr)
        os._exit(1)


if __name__ == "__main__":
    main()
