"""Programs, and sub-commands of programs, that only read when all their flags are known ones.

For programs of which some flags write or run something and few are in daily use; what is not listed is not allowed.
"""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]


class Exact(Struct, frozen=True, kw_only=True):
    """What may follow a program.

    Short flags of `letters` in any combination, flags `alone`, flags `valued` with a value (in the next word or after
    `=`), flags of the form `shaped`, and `operands`, at most `most` of them. `needs` are flags one of which must be
    there. `pattern` operands are files but for the first.
    """

    letters: str = ""
    alone: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    shaped: str = ""
    operands: Literal["paths", "text", "none", "pattern"] = "none"
    most: int = 1000
    needs: frozenset[str] = frozenset()


BARE = Exact()
TEXT = Exact(operands="text")
FILES = Exact(operands="paths")
_NPM_LS = Exact(
    letters="algp",
    alone=names("--all --json --long --global --prod --production --dev --parseable"),
    valued=names("--depth --omit"),
    operands="text",
)
_PIP_LIST = Exact(
    letters="vl", alone=names("--user --local --not-required --pre --verbose"), valued=names("--format --exclude")
)
_DOCKER_LIST = Exact(
    letters="aqls",
    alone=names("--all --no-trunc --quiet --latest --digests --size"),
    valued=names("-f --filter --format -n --last"),
    operands="text",
)
_ZGREP = Exact(letters="nicvlhHoEFqwP", valued=names("-A -B -C -m"), operands="pattern")

EXACT: Mapping[str, Exact] = {
    "ag": Exact(letters="ilcwvQsU", valued=names("-A -B -C -G"), operands="pattern"),
    "alias": BARE,
    "apropos": TEXT,
    "apt list": Exact(alone=names("--installed --upgradable -a"), operands="text"),
    "apt-cache policy": TEXT,
    "apt-cache search": TEXT,
    "apt-cache show": TEXT,
    "bat": Exact(
        letters="pAn",
        alone=names("--plain --paging=never --color=never"),
        valued=names("-l -r --language --line-range --style"),
        operands="paths",
    ),
    "bc": Exact(letters="lqs", alone=names("--mathlib --quiet")),
    "brew list": Exact(alone=names("--versions --cask --formula"), operands="text"),
    "bzcat": FILES,
    "cal": Exact(letters="13jmy", operands="text"),
    "cloc": FILES,
    "dmesg": Exact(letters="THkxt"),
    "docker images": _DOCKER_LIST,
    "docker info": BARE,
    "docker network ls": _DOCKER_LIST,
    "docker ps": _DOCKER_LIST,
    "docker version": BARE,
    "docker volume ls": _DOCKER_LIST,
    "docker compose version": BARE,
    "dpkg": Exact(letters="lLsSp", operands="text", needs=names("-l -L -s -S -p")),
    "eza": Exact(
        letters="laTh1RdFigGHtrsS",
        alone=names("--tree --long --all --git --icons"),
        valued=names("-L --level --sort"),
        operands="paths",
    ),
    "factor": TEXT,
    "gem list": Exact(alone=names("--local"), operands="text"),
    "hash": BARE,
    "help": TEXT,
    "history": TEXT,
    "ifconfig": Exact(letters="a"),
    "iostat": Exact(letters="cdxmkh", operands="text"),
    "jobs": Exact(letters="lp"),
    "journalctl": Exact(
        letters="rxek",
        alone=names("--no-pager --user --reverse"),
        valued=names("-n -u -p -o -b --lines --unit --since --until --priority --output"),
        operands="none",
    ),
    "kubectl config current-context": BARE,
    "kubectl version": Exact(alone=names("--client"), valued=names("-o --output"), needs=names("--client")),
    "last": Exact(letters="axFwi", valued=names("-n"), operands="text"),
    "less": Exact(letters="NSRFXnri", operands="paths"),
    "lsblk": Exact(letters="afpmotdlnbJ", valued=names("--output")),
    "lsb_release": Exact(letters="aidrcs"),
    "lscpu": Exact(letters="eapJ"),
    "lsmod": BARE,
    "lsof": Exact(letters="PntlUai", valued=names("-p -u -c"), shaped=r"-t?i[\w:]+|-sTCP:\w+", operands="text"),
    "more": Exact(operands="paths"),
    "man": Exact(letters="kfw", operands="paths"),
    "mount": BARE,
    "netstat": Exact(letters="tulnpaeirsW46cv"),
    "nm": Exact(letters="DgCnuaSA", alone=names("--demangle --dynamic --defined-only"), operands="paths"),
    "npm bin": Exact(letters="g"),
    "npm list": _NPM_LS,
    "npm ls": _NPM_LS,
    "npm pkg get": TEXT,
    "npm prefix": Exact(letters="g"),
    "npm root": Exact(letters="g"),
    "nvidia-smi": Exact(letters="L"),
    "objdump": Exact(letters="dDhxtTspfrRSwCz", valued=names("-j -M"), operands="paths"),
    "openssl version": Exact(letters="a"),
    "openssl x509": Exact(
        alone=names("-noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial -sha256"),
        valued=names("-in -inform"),
        needs=names("-in"),
    ),
    "pgrep": Exact(letters="faxlnovci", valued=names("-u -U -P -t -g"), operands="text"),
    "pidof": Exact(letters="sx", operands="text"),
    "pip check": BARE,
    "pip freeze": Exact(letters="l", alone=names("--local --user --all"), valued=names("--exclude")),
    "pip list": _PIP_LIST,
    "pip show": Exact(letters="fv", operands="text"),
    "pip3 check": BARE,
    "pip3 freeze": Exact(letters="l", alone=names("--local --user --all"), valued=names("--exclude")),
    "pip3 list": _PIP_LIST,
    "pip3 show": Exact(letters="fv", operands="text"),
    "readelf": Exact(letters="haldSsrnVWe", valued=names("-x -p"), operands="paths"),
    "rpm": Exact(letters="qailf", operands="text", needs=names("-qa -qi -ql -q -qf")),
    "scc": FILES,
    "shasum": Exact(letters="bt", valued=names("-a --algorithm"), operands="paths"),
    "shopt": Exact(letters="p"),
    "shuf": Exact(letters="erz", valued=names("-n -i --head-count"), operands="paths"),
    "size": Exact(letters="AB", operands="paths"),
    "ss": Exact(letters="tulnpaoemixs46wWrH", operands="text"),
    "stty size": BARE,
    "systemctl is-active": TEXT,
    "systemctl is-enabled": TEXT,
    "systemctl list-unit-files": Exact(alone=names("--no-pager --user --all"), valued=names("--type --state")),
    "systemctl list-units": Exact(
        letters="a", alone=names("--no-pager --user --all --failed"), valued=names("--type --state")
    ),
    "systemctl status": Exact(
        letters="l", alone=names("--no-pager --user --full"), valued=names("-n --lines"), operands="text"
    ),
    "tee": Exact(letters="a", operands="none"),
    "tokei": FILES,
    "top": Exact(letters="bci", alone=names("-bn1"), valued=names("-n -bn -p -o -d"), needs=names("-b -bn1 -bn")),
    "tput": TEXT,
    "ulimit": Exact(letters="a", needs=names("-a")),
    "umask": Exact(letters="S"),
    "unzip": Exact(letters="lvqtpZ1", operands="paths", needs=names("-l -v -Z -Z1 -lv -ql -lq -t -p -qp")),
    "vmstat": Exact(letters="aswm", operands="text"),
    "w": Exact(letters="hsf"),
    "whatis": TEXT,
    "whereis": Exact(letters="bms", operands="text"),
    "who": Exact(letters="abHmqrTu"),
    "xxd": Exact(letters="pubiaeE", alone=names("-ps"), valued=names("-l -s -c -g -o"), operands="paths", most=1),
    "xzcat": FILES,
    "yes": TEXT,
    "zcat": Exact(letters="f", operands="paths"),
    "zegrep": _ZGREP,
    "zgrep": _ZGREP,
    "zipinfo": Exact(letters="12lmsvhtTz", operands="paths"),
    "zstdcat": FILES,
}
"""A program, or a program with its sub-commands, and what may follow."""
_MOST_SUB_COMMANDS = 2


def exactly(name: str, rest: Words) -> Words | None:
    """The words that are paths if the table knows the program with just these flags; None otherwise."""
    for count in range(min(_MOST_SUB_COMMANDS, len(rest)), -1, -1):
        found = EXACT.get(" ".join([name, *(word.text or "-" for word in rest[:count])]))
        if found is not None:
            return _by(found, rest[count:])
    return None


def _by(wanted: Exact, rest: Words) -> Words | None:
    operands: list[Word] = []
    values: list[Word] = []
    seen: set[str] = set()
    words = iter(rest)
    for word in words:
        text = word.text
        if text is None or text.startswith("+"):
            return None
        if not text.startswith("-") or text == "-":
            operands.append(word)
            continue
        flag, equals, value = text.partition("=")
        seen.add(flag)
        if flag in wanted.valued:
            values.append(Word(source=value, text=value) if equals else next(words, word))
            if (values[-1].text or "-").startswith("-"):
                return None
        elif text not in wanted.alone and not _is_shaped(wanted, text):
            return None
    if len(operands) > (0 if wanted.operands == "none" else wanted.most) or (wanted.needs and not seen & wanted.needs):
        return None
    files = {"paths": operands, "pattern": operands[1:]}.get(wanted.operands, [])
    return (*files, *values)


def _is_shaped(wanted: Exact, text: str) -> bool:
    letters = rf"-[{wanted.letters}]+" if wanted.letters else "(?!)"
    return re.fullmatch(rf"{letters}|{wanted.shaped or '(?!)'}", text) is not None
