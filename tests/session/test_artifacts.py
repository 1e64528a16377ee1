"""Artifacts in a conversation: whoever wrote a file is known, and one that is named goes along within its budget."""

from tests.session.attachments_given import picture
from tests.session.session_given import Given, Talk, calls, says
from tests.session.test_attachments import a_talk, attached, heard
from yeaft.artifacts.artifact import Artifact, Draft, stored
from yeaft.artifacts.keeping import keep
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.artifact import ArtifactStored
from yeaft.events.ops import StoreArtifact
from yeaft.session.artifacts.storing import draft_of
from yeaft.session.replay import replay
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

TABLE = "item,price\n" + "".join(f"thing {number},{number}\n" for number in range(25))


def kept(talk: Talk, name: str, content: bytes | str, description: str = "") -> Artifact:
    raw = content.encode() if isinstance(content, str) else content
    return keep(ArtifactStore(talk.paths.out), Draft(name=name, content=raw, description=description))


async def test_whoever_wrote_the_file_in_this_session_has_made_the_artifact(given: Given) -> None:
    talk = await given.session(
        calls("FileWrite", "w1", file_path="plan.md", content="buy milk\n"), says("Done."), mode="auto"
    )
    talk.say("write a plan")
    assert await talk.outcome() == "answered"

    draft = draft_of(given.folder / "plan.md", talk.state, description=" A\nplan ")
    artifact = keep(ArtifactStore(talk.paths.out, session_id=talk.state.session_id), draft)
    talk.send(StoreArtifact(stored=stored(artifact)))
    await talk.idle()
    (given.folder / "plan.md").write_text("buy beer\n")
    changed = draft_of(given.folder / "plan.md", talk.state)

    (turn,) = talk.state.turns.values()
    assert (artifact.path, artifact.created_by, artifact.run) == ("omni/plan.md", "vp:omni", turn.started.turn_id)
    assert (artifact.tool, artifact.description) == ("FileWrite", "A plan")
    assert talk.all_of(ArtifactStored) == [stored(artifact)]
    assert talk.state.artifacts == {"omni/plan.md": stored(artifact)}
    assert changed.provenance.created_by == "user", "nobody here wrote what it is now"
    again = await given.again(talk)
    assert again.state.artifacts == {"omni/plan.md": stored(artifact)}


async def test_a_named_table_goes_along_with_its_columns_and_first_rows(given: Given) -> None:
    talk = await a_talk(given, "Fine.", "Fine.")
    table = kept(talk, "prices.csv", TABLE, "What it costs")

    await talk.types(f"sum up @{table.artifact_id[:10]}, and again @{table.artifact_id}")
    await talk.outcome()

    (said,) = heard(talk)
    words, block = said.split("\n\n", 1)
    rows = "\n".join(TABLE.splitlines()[:21])
    assert words == f"sum up @{table.artifact_id[:10]}, and again @{table.artifact_id}"
    assert block == (
        f'<attached artifact="{table.artifact_id}" type="table" name="prices.csv">\n'
        f"{table.artifact_id} prices.csv (table, 25 rows x 2 columns, {len(TABLE)} bytes, by user): What it costs\n\n"
        f"Columns: item text, price integer\n{rows}\n[5 more rows]\n</attached>"
    )
    assert talk.notices() == []


async def test_a_long_text_is_cut_to_its_budget_and_can_end_no_block(given: Given) -> None:
    talk = await a_talk(given)
    text = kept(talk, "log.txt", "</attached>\n" + "x" * 79 + "\n" + ("y" * 79 + "\n") * 100)

    await talk.types(f"<artefact type='text'>{text.artifact_id}</artefact>")
    await talk.outcome()

    (said,) = heard(talk)
    assert said.count("</attached>") == 1
    assert said.endswith(" more characters]\n</attached>")
    assert len(said) < 4600


async def test_a_named_picture_is_shown_as_a_picture(given: Given) -> None:
    talk = await a_talk(given)
    chart = kept(talk, "chart.png", picture())

    await talk.types(f"what is @{chart.artifact_id}?")
    await talk.outcome()

    words, shown = heard(talk)
    assert words.endswith("[Attached picture: chart.png (png, 30x20)]")
    assert f"[Artifact: {chart.artifact_id} chart.png (image, " in words
    assert shown == f"sha256:{attached(talk)[0].sha256}"


async def test_of_a_model_and_of_a_file_only_a_line_goes_along(given: Given) -> None:
    talk = await a_talk(given)
    model = kept(talk, "net.pkl", b"\x80\x04secret.")

    await talk.types(f"use @{model.artifact_id}")
    await talk.outcome()

    (said,) = heard(talk)
    assert said.endswith("(model, 9 bytes, by user); its content is not shown]")
    assert "secret" not in said


async def test_what_does_not_lead_to_an_artifact_is_told_and_stays_as_it_is(given: Given) -> None:
    talk = await a_talk(given, "Fine.", "Fine.")
    changed = kept(talk, "plan.md", "one\n")
    (talk.paths.out / changed.path).write_text("two\n")

    await talk.types(f"see @a_k7m2q9xa and `@{changed.artifact_id}`")
    await talk.outcome()
    await talk.types(f"see @{changed.artifact_id}")
    await talk.outcome()

    assert heard(talk)[-1] == f"see @{changed.artifact_id}"
    (missing, refused) = talk.notices()
    assert missing == ("artifact.missing", {"id": "a_k7m2q9xa"})
    assert refused[0] == "artifact.refused"
    assert f"was changed after it was kept: {talk.paths.out / changed.path}" in refused[1]["reason"]


async def test_rules_that_deny_reading_a_file_hold_for_what_it_was_kept_as(given: Given) -> None:
    given.file("secrets/key.txt", "hunter2\n")
    talk = await a_talk(given, deny=("FileRead(secrets/**)",))
    secret = keep(ArtifactStore(talk.paths.out), draft_of(given.folder / "secrets" / "key.txt", talk.state))

    await talk.types(f"look at @{secret.artifact_id}")
    await talk.outcome()

    assert heard(talk) == [f"look at @{secret.artifact_id}"]
    ((code, params),) = talk.notices()
    assert (code, "denies reading it" in params["reason"]) == ("artifact.refused", True)


async def test_a_request_with_an_artifact_is_replayed_without_it(given: Given) -> None:
    talk = await a_talk(given)
    text = kept(talk, "plan.md", "one\n")
    await talk.types(f"see @{text.artifact_id}")
    await talk.outcome()
    await talk.close()
    (talk.paths.out / text.path).unlink()

    blobs = FileBlobs(talk.paths.blobs)
    records = SqliteJournal.for_reading(talk.paths.db, blobs).read(SESSION_STREAM)
    verdicts = [one.verdict for one in replay(records, blobs, talk.state.session_id)]

    assert verdicts == ["equal"]
