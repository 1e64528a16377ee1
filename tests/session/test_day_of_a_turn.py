"""The day that a VP is told stays the same for all requests of a turn; the next turn has the new one."""

from pathlib import Path

from yeaft.config.layers import load
from yeaft.events.session import MessagePosted, SessionCreated, SessionRenamed
from yeaft.events.turn import TurnEnded, TurnStarted
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.local_model import LocalModel
from yeaft.llm.models import Models
from yeaft.prompts.find import templates_dir
from yeaft.prompts.phrases import load_phrases
from yeaft.prompts.place import Place
from yeaft.prompts.system import load_texts
from yeaft.session.ledger import Ledger, Purse
from yeaft.session.minds import Thinking, VpMind
from yeaft.session.state import SessionState
from yeaft.store.memory import MemoryBlobs, MemoryJournal
from yeaft.vp.library import Library, vp_folders

CREATED = SessionCreated(
    session_id="k7m2q9xa", name="", folder="/src", roster=("omni",), default_vp="omni", lang="en", app_version="1"
)


class Clockwork:
    """A Session of one VP in a place whose day can be changed."""

    def __init__(self, home: Path) -> None:
        self.day = "2026-03-01"
        environ = {"YEAFT_MODEL": "m", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "x"}
        config, catalogue = load(home, None, environ).config, read_catalogue(templates_dir())
        thinking = Thinking(
            config=config,
            environ=environ,
            catalogue=catalogue,
            models=Models(config, environ, catalogue, LocalModel(home).address),
            library=Library(vp_folders(home)),
            texts=load_texts("en"),
            phrases=load_phrases("en"),
            lang="en",
            place=lambda: Place(folder="/src", platform="Linux", shell="bash", date=self.day, zone="UTC+00:00"),
        )
        self.ledger = Ledger(MemoryJournal(), SessionState("k7m2q9xa"), lambda: 0, 1, purse=Purse())
        self.mind = VpMind("omni", thinking, {}, self.ledger, MemoryBlobs())
        self.ledger.post((CREATED,), src="engine")

    def begin(self, number: int) -> None:
        message = MessagePosted(
            message_id=f"m_{number}", sender="user", to=("omni",), kind="user", text="Hi", root_id=f"m_{number}"
        )
        started = TurnStarted(turn_id=f"t_{number}", message_id=f"m_{number}", vp_id="omni", mode="ask")
        self.ledger.post((message, started), src="engine")

    def end(self, number: int) -> None:
        self.ledger.post((TurnEnded(turn_id=f"t_{number}", vp_id="omni", outcome="answered"),), src="engine")

    def told(self) -> list[str]:
        """The lines that the next request ends its system prompt with, but for those about the machine."""
        frozen, _ = self.mind.freeze("")
        session, _, _, day = frozen.settings.system[-1].text.split("\n")
        return [session.partition(":")[0], day]


async def test_midnight_comes_between_two_turns_and_never_within_one(tmp_path: Path) -> None:
    given = Clockwork(tmp_path)
    given.begin(1)
    before = given.told()

    given.day = "2026-03-02"
    within = given.told()
    given.end(1)
    given.begin(2)
    after = given.told()

    assert before == within == ["Session k7m2q9xa", "Today: 2026-03-01, Sunday (UTC+00:00)"]
    assert after == ["Session k7m2q9xa", "Today: 2026-03-02, Monday (UTC+00:00)"]
    await given.ledger.flushed()


async def test_a_new_name_of_the_session_is_told_with_the_next_request(tmp_path: Path) -> None:
    given = Clockwork(tmp_path)
    given.begin(1)

    given.ledger.post((SessionRenamed(name="plans"),), src="user")

    assert given.told()[0] == 'Session k7m2q9xa "plans"'
    await given.ledger.flushed()
