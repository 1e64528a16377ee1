"""What is loaded while the user writes the first message."""

import json
import subprocess
import sys

LEFT = """
import sys
from yeaft.interfaces.tui.warming import warm_up

warm_up()
before = set(sys.modules)

from yeaft.llm import anthropic, connections, responses
from yeaft.tools.policy import shell_judge
from yeaft.tools.policy.shell_script import script

script("for one in a b; do echo $one; done", {})
print(sorted(set(sys.modules) - before))
"""


def test_the_first_exchange_and_the_first_command_find_everything_loaded() -> None:
    left = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=True)

    assert left.stdout.strip() == "[]"


ASKED = """
import builtins, importlib, importlib.util, json, sys
import yeaft.interfaces.tui.app
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.markdown.growing import grown
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.interfaces.tui.warming import load_ahead, warm_up

before_parent, own = set(), set()

def note(importer, name):
    parent = name.rpartition(".")[0]
    if parent and parent not in sys.modules:
        before_parent.add(name)
    if parent == importer:
        own.add(name)

def asked(name, names=None, more=None, of=(), level=0, really=builtins.__import__):
    package = (names or {}).get("__package__") or ""
    whole = importlib.util.resolve_name("." * level + name, package) if level else name
    note((names or {}).get("__name__"), whole)
    return really(name, names, more, of, level)

def asked_by_name(name, package=None, level=0, really=importlib._bootstrap._gcd_import):
    note("", name)
    return really(name, package, level)

builtins.__import__ = asked
importlib._bootstrap._gcd_import = asked_by_name
load_ahead()
LOADS
print(json.dumps([sorted(before_parent), sorted(own)]))
"""
MARKDOWN = 'grown("# a\\n\\n[b](c) `d` | e\\n\\n|f|g|\\n|-|-|\\n|1|2|\\n", 60, palette_of(Look()))'


def asked_for(loads: str) -> tuple[set[str], set[str]]:
    """What is asked for before its package is, and what packages ask for themselves, of all that is loaded anew."""
    ran = subprocess.run(
        [sys.executable, "-c", ASKED.replace("LOADS", loads)], capture_output=True, text=True, check=True
    )
    first, own = json.loads(ran.stdout.splitlines()[-1])
    return set(first), set(own)


def test_no_two_threads_can_wait_for_each_other_while_they_load_what_they_need() -> None:
    first_here, own_here = asked_for("warm_up()")
    first_there, own_there = asked_for(MARKDOWN)

    assert own_here
    assert own_there
    assert first_here & (own_there - first_there) == set()
    assert first_there & (own_here - first_here) == set()
