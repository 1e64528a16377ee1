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
        from yeaft.config.language import language
        from yeaft.interfaces.cli.help_text import fitted_help

        _show(fitted_help(language("", os.environ.get("YEAFT_LANGUAGE", ""), os.environ)))
        return
    if sys.platform == "win32":
        os.write(2, b"yeaft runs on Linux and macOS; on Windows use WSL.\n")
        sys.exit(78)
    from yeaft.interfaces import garbage

    garbage.put_off()
    try:
        from yeaft.interfaces.cli.entry import run

        run(words)
    except KeyboardInterrupt:
        sys.exit(130)


def _show(text: str) -> None:
    """Write to standard output past its buffer, about which the interpreter would complain on its way out."""
    try:
        os.write(1, text.encode())
    except BrokenPipeError:
        sys.exit(141)
    except OSError as error:
        sys.exit(f"yeaft: Standard output could not be written: {error.strerror}.")


if __name__ == "__main__":
    main()
