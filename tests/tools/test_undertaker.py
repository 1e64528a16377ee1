"""Who has died and been adopted is collected; whoever waits for a child of their own still learns how it ended."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

ADOPTS = """
import os, select, subprocess, sys
from yeaft.tools.shell import descendants
from yeaft.tools.shell.undertaker import FORGOTTEN_S, Undertaker

def state(pid):
    seen = descendants.sighting(pid)
    return seen.state if seen else "gone"

def ended(pid):
    assert select.select([os.pidfd_open(pid)], [], [], 60)[0], pid

descendants.adopt_orphans()
clock = [1000.0]
undertaker = Undertaker(lambda: clock[0])
go, gone = os.pipe()
line = "setsid sh -c 'read -r line; exit 3' <&%d >/dev/null & echo $!" % go
orphan = int(subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, pass_fds=(go,)).stdout)
own = subprocess.Popen(["sh", "-c", "exit 7"])
undertaker.look()
print(state(orphan) in "SR")
os.write(gone, b"now\\n")
ended(orphan)
ended(own.pid)
undertaker.look()
clock[0] += FORGOTTEN_S / 2
undertaker.look()
print(state(orphan), state(own.pid), own.wait())
clock[0] += FORGOTTEN_S / 2
undertaker.look()
print(state(orphan), sorted(descendants.own_children()))
"""


def test_an_orphan_is_collected_when_nobody_has_waited_for_it_for_a_while() -> None:
    program = [sys.executable, "-c", ADOPTS]

    ran = subprocess.run(
        program, cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )

    assert (ran.stdout.split("\n"), ran.stderr) == (["True", "Z Z 7", "gone []", ""], "")
