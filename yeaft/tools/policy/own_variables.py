"""Variables that a script may set and show: its own, which no other program reads, and harmless ones of everybody."""

import re

from yeaft.tools.policy.word_list import names

_SMALL = re.compile(r"(?!.*proxy|path$|fpath$|cdpath$|prompt$)[a-z_][a-z0-9_]*")
_CAPITAL = names(
    "A B BASE BRANCH C COMMIT COUNT D DATE DIR DIRS E END F FILE FILENAME FILES FOUND G H I J K L LIMIT LINE LINES M "
    "MAX MIN MSG N NAME NAMES NEW NOW NUM OLD OUT OUTPUT P PATTERN R RESULT RESULTS ROOT S SHA SIZE SRC START T "
    "TAG TARGET TODAY TOTAL V VALUE VERSION W X Y Z"
)
_SHOWN = names(
    "$() PWD OLDPWD USER LOGNAME SHELL LANG TERM HOSTNAME PATH UID EUID PPID RANDOM HOME LC_ALL LC_CTYPE TZ EDITOR "
    "VISUAL PAGER DISPLAY TMPDIR COLUMNS LINES CI SHLVL OSTYPE HOSTTYPE MACHTYPE BASH_VERSION ZSH_VERSION SECONDS "
    "LINENO VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYTHONPATH NODE_ENV NVM_DIR GOPATH GOROOT GOBIN JAVA_HOME "
    "CARGO_HOME RUSTUP_HOME ANDROID_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR LD_LIBRARY_PATH "
    "MANPATH"
)
_SPECIAL = re.compile(r"[?$!#@*0-9-]")
_SECRET = re.compile(r".*(?:proxy|token|secret|key|pass)")


def is_own(name: str) -> bool:
    """Whether setting the variable changes nothing but what the script itself reads."""
    return _SMALL.fullmatch(name) is not None or name in _CAPITAL


def is_harmless(name: str) -> bool:
    """Whether the value of the variable may be shown: it is no secret, by its name."""
    if name in _SHOWN or name in _CAPITAL or _SPECIAL.fullmatch(name):
        return True
    return re.fullmatch(r"[a-z_][a-z0-9_]*", name) is not None and _SECRET.match(name) is None
