"""The entry point: answers `--version` and `--help` at once, and leaves all else to the command line proper."""

import sys


def main() -> None:
    """Run yeaft; never returns."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]):
        from yeaft import __version__

        print(f"yeaft {__version__}")
        return
    if words in (["--help"], ["-h"]):
        from yeaft.interfaces.cli.help_text import HELP

        print(HELP, end="")
        return
    if sys.platform == "win32":
        print("yeaft runs on Linux and macOS; on Windows use WSL.", file=sys.stderr)
        sys.exit(78)
    try:
        from yeaft.interfaces.cli.entry import run

        run(words)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
