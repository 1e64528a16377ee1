"""Who has died and been adopted is collected; whoever waits for a child of their own still learns how it ended."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

ADOPTS = """
import asyncio, os, select, subprocess, sys
from pathlib import Path
from yeaft.tools.shell import descendants
from yeaft.tools.shell.shell import Shell
from yeaft.tools.shell.undertaker import FORGOTTEN_S

def state(pid):
    seen = descendants.sighting(pid)
    return seen.state if seen else "gone"

def ended(pid):
    assert select.select([os.pidfd_open(pid)], [], [], 60)[0], pid

clock = [1000.0]
shell = Shell(Path(sys.argv[1]), dict(os.environ), now_s=lambda: clock[0])
shell.stand_by()
go, gone = os.pipe()
line = "setsid sh -c 'read -r line; exit 3' <&%d >/dev/null & echo $!" % go
orphan = int(subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, pass_fds=(go,)).stdout)
own = subprocess.Popen(["sh", "-c", "exit 7"])
shell.stand_by()
print(state(orphan) in "SR")
os.write(gone, b"now\\n")
ended(orphan)
ended(own.pid)
shell.stand_by()
clock[0] += FORGOTTEN_S / 2
shell.stand_by()
print(state(orphan), state(own.pid), own.wait())
clock[0] += FORGOTTEN_S / 2
shell.stand_by()
print(state(orphan))
asyncio.run(shell.close())
"""


def test_an_orphan_is_collected_when_nobody_has_waited_for_it_for_a_while(tmp_path: Path) -> None:
    program = [sys.executable, "-c", ADOPTS, str(tmp_path)]

    ran = subprocess.run(
        program, cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )

    assert (ran.stdout.split("\n"), ran.stderr) == (["True", "Z Z 7", "gone", ""], "")
