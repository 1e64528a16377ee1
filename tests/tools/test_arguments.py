"""What a model wrote as arguments is taken as it stands or given back; nothing in it is silently made into another."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.errors import BadArguments
from yeaft.kernel.text import without_surrogates
from yeaft.tools.tool import arguments

FOLDERS = st.sampled_from(("Users", "unicorn", "u0041bc", "uD83D", "new", "temp", "x", "U0001F600", "你好", "a b"))
PATHS = st.lists(FOLDERS, min_size=1, max_size=6).map(lambda folders: "C:\\" + "\\".join(folders))


@given(PATHS)
def test_a_windows_path_whose_folders_look_like_escapes_comes_through_as_it_was_meant(path: str) -> None:
    for raw in (json.dumps({"file_path": path}), json.dumps({"file_path": path}, ensure_ascii=False)):
        assert arguments("FileRead", raw) == {"file_path": path}


@given(PATHS)
def test_a_windows_path_that_was_not_escaped_is_read_as_json_says_or_given_back(path: str) -> None:
    raw = f'{{"file_path": "{path}"}}'
    try:
        meant = json.loads(raw)
    except json.JSONDecodeError as error:
        with pytest.raises(BadArguments, match=f"at character {error.pos}: .*Nothing was run"):
            arguments("FileRead", raw)
    else:
        assert arguments("FileRead", raw) == {"file_path": without_surrogates(meant["file_path"])}


def test_an_unescaped_path_is_refused_with_the_place_of_the_mistake_and_what_was_received() -> None:
    with pytest.raises(BadArguments) as refused:
        arguments("FileRead", r'{"file_path": "C:\Users\unicorn"}')

    said = str(refused.value)
    assert "at character 17" in said
    assert r"C:\\Users\\unicorn" in said
    assert "send the call again with valid JSON" in said
