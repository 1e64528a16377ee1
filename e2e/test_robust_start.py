"""What is odd about the machine or the words ends with a sentence, the right code and a result."""

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from yeaft.llm.scripted.script import Says, script

BAD_URLS = ["http://[::1", "http://127.0.0.1:99999/v1", "http://127.0.0.1:abc/v1", "http:///v1", "http://a b/v1"]


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_base_url_that_is_none_is_a_matter_of_configuration(yeaft: Yeaft, url: str) -> None:
    yeaft.talks_to(url)

    ran = yeaft.here("-p", "hi", "--json")

    assert (ran.code, ran.result["exit_code"]) == (78, 78)
    assert "YEAFT_BASE_URL" in ran.result["error"]
    assert "Internal" not in ran.err


@pytest.mark.parametrize(("key", "variable"), [("openai", "OPENAI_BASE_URL"), ("box", "providers.box.base_url")])
def test_the_setting_that_is_wrong_is_named(yeaft: Yeaft, key: str, variable: str) -> None:
    yeaft.environ |= {"OPENAI_BASE_URL": "http://[::1", "OPENAI_API_KEY": "k"}

    ran = yeaft.here("-p", "hi", "--json", "-m", f"{key}/m", "--set", 'providers.box.base_url="http://[::1"')

    assert ran.code == 78
    assert variable in ran.result["error"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "gopher://127.0.0.1:1"])
async def test_a_proxy_that_cannot_be_used_is_told_at_once(yeaft: Yeaft, proxy: str) -> None:
    yeaft.talks_to("http://model.invalid/v1")
    yeaft.environ["ALL_PROXY"] = proxy

    ran = await yeaft.run("-p", "hi", "--output-format", "stream-json")

    assert (ran.code, ran.result["exit_code"]) == (78, 78)
    assert not [line for line in ran.lines if line["type"] == "retry.scheduled"]


async def test_a_proxy_is_not_asked_for_what_is_on_this_machine(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))
    yeaft.environ |= {"ALL_PROXY": "socks5://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}

    ran = await yeaft.run("-p", "hi")

    assert (ran.code, ran.out) == (0, b"Here.\n")


@pytest.mark.parametrize("amount", ["nan", "inf", "-inf", "-0", "-1"])
def test_a_cost_limit_is_a_number_that_can_be_kept(yeaft: Yeaft, amount: str) -> None:
    ran = yeaft.here("-p", "hi", "--json", f"--max-cost={amount}")

    assert (ran.code, ran.result["exit_code"]) == (2, 2)
    assert "--max-cost" in ran.result["error"]


@pytest.mark.parametrize("reference", ["", " "])
async def test_no_reference_is_no_session_rather_than_a_new_one(yeaft: Yeaft, serve: Serve, reference: str) -> None:
    server = await serve(script(Says(text="Here.")))

    ran = await yeaft.run("-r", reference, "-p", "hi", "--json")

    assert (ran.code, ran.result["exit_code"]) == (66, 66)
    assert not server.requests
    assert not (yeaft.dir / "sessions").exists()


@pytest.mark.parametrize("given", [b"", b"\n \n"])
async def test_a_stream_without_any_line_asked_nothing(yeaft: Yeaft, serve: Serve, given: bytes) -> None:
    await serve(script(Says(text="Here.")))

    ran = await yeaft.run("--input-format", "stream-json", "--output-format", "stream-json", given=given)

    assert ran.code == 2
    assert (ran.result["exit_code"], ran.result["outcome"]) == (2, "failed")
    assert "no prompt" in ran.result["error"]


async def test_a_disk_that_takes_nothing_is_told_with_a_result(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))

    for blocks in (0, 4):
        ran = await yeaft.shell(f"ulimit -f {blocks}; yeaft -p hi --json")

        assert (ran.code, ran.result["exit_code"]) == (1, 1), ran
        assert ran.result["error"]
        assert "Traceback" not in ran.err


async def test_fifty_unknown_names_are_counted(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))

    ran = await yeaft.run("-p", " ".join(f"@n{number}" for number in range(50)), "--output-format", "stream-json")

    notices = [line["data"] for line in ran.lines if line["type"] == "notice.posted"]
    message = next(line["data"] for line in ran.lines if line["type"] == "message.posted")
    told = [notice for notice in notices if notice["code"].startswith("mention.")]
    assert [(notice["code"], notice["params"]["tokens"], notice["params"]["more"]) for notice in told] == [
        ("mention.unknown_many", "@n0, @n1, @n2", "47")
    ]
    assert len(message["unknown_mentions"]) == 16
    assert "@n0, @n1, @n2 and 47 more" in ran.err


async def test_a_schema_that_leads_elsewhere_is_refused_before_anybody_is_asked(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="{}")))

    ran = await yeaft.run("-p", "hi", "--json", "--schema", '{"$ref": "file:///etc/passwd"}')

    assert (ran.code, ran.result["exit_code"]) == (65, 65)
    assert "file:///etc/passwd" in ran.result["error"]
    assert not server.requests


async def test_an_answer_that_cannot_be_checked_in_time_is_bad_data(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text='"' + "a" * 60 + '!"')))

    ran = await yeaft.run("-p", "hi", "--json", "--schema", '{"pattern": "^(a+)+$"}')

    assert (ran.code, ran.result["exit_code"]) == (65, 65)
    assert "could not be checked" in ran.result["error"]
    assert ran.result["text"]
