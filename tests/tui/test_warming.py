"""What is loaded while the user writes the first message."""

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
