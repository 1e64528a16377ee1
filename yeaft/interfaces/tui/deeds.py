"""Does what orders and panels ask for in one conversation on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.attaching import file_to_attach
from yeaft.interfaces.orders import AttachFile, ChangeRun, Choose, Copy, Deed, KeepFile, Leave, Run, RunGraph, Show
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.tui.conversation import Conversation


def done(deed: Deed, screen: Conversation, here: Opened, dialogue: Dialogue) -> None:
    """Do what is asked for, or begin to. Raises `YeaftError`."""
    match deed:
        case Leave():
            screen.leave(deed)
        case AttachFile(path=path):
            screen.composer.attach_files((file_to_attach(here.folder, path),))
        case KeepFile(path=path):
            screen.run_worker(_keep(path, screen, here))
        case Copy():
            screen.run_worker(screen.transcript.reading.ordered(deed))
        case RunGraph():
            dialogue.graphs.start(deed)
        case ChangeRun():
            dialogue.graphs.change(deed)
        case Run() | Show() | Choose():
            screen.panels.show(deed)
        case _ if rests := dialogue.left_alone(deed):
            screen.notify(rests, markup=False)
        case _:
            screen.ask_for(deed)


async def _keep(path: str, screen: Conversation, here: Opened) -> None:
    from yeaft.interfaces.artifacts import keep_file

    try:
        screen.ask_for(await keep_file(here, path))
    except YeaftError as error:
        screen.complain(error)
