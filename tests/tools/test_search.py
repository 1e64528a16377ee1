"""Searching files: ripgrep and our own search are held to one table, on a tree full of traps."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.folder_given import Call, Folder
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.grep import Backend, Grep, grep
from yeaft.tools.search.globs import compile_glob
from yeaft.tools.search.ripgrep import best_backend, own_search
from yeaft.tools.search.search_request import SearchRequest
from yeaft.tools.search.search_run import run_search
from yeaft.tools.tool import Touches


def tricky(folder: Folder) -> None:
    """A tree with nested ignore files, negation, hidden files, links, strange encodings and long lines."""
    files: dict[str, str | bytes] = {
        ".gitignore": "*.log\n!keep.log\n/top.txt\ngen/\n**/deep/secret.py\ndocs/*.tmp\nfoo/**/bar\n\\#x\nend\\ \n# no\n",
        "a.py": "needle one\nplain\nNeedle two needle\n",
        "top.txt": "needle",
        "sub/top.txt": "needle",
        "x.log": "needle",
        "keep.log": "needle",
        "gen/a.py": "needle",
        "sub/gen/a.py": "needle",
        "a/b/deep/secret.py": "needle",
        "docs/x.tmp": "needle",
        "docs/more/x.tmp": "needle",
        "foo/1/2/bar": "needle",
        "#x": "needle",
        "end ": "needle",
        "sub/.gitignore": "!x.log\n*.md\n",
        "sub/x.log": "needle",
        "sub/readme.md": "needle",
        "sub/.ignore": "!readme.md\n",
        "sub/deeper/readme.md": "needle",
        ".rgignore": "a.py\n!a.py\n",
        ".hidden": "needle",
        ".config/x.py": "needle",
        "node_modules/m.js": "needle",
        "vendor/m.go": "needle",
        ".git/config": "needle",
        ".git/info/exclude": "excluded.txt\n",
        "excluded.txt": "needle",
        "crlf.txt": "needle end\r\nneedle\r\nother\r\n",
        "bom.txt": "\ufeffneedle",
        "utf16.txt": "needle 你好\n".encode("utf-16"),
        "binary.dat": b"needle\0\1\2needle",
        "picture.png": "needle",
        "bad.txt": b"\xfd\xfeneedle \xe9 needle\nneedle\n",
        "gbk.txt": "needle 你好世界".encode("gb18030"),
        "long.js": "x" * 40_000 + "needle" + "y" * 40_000,
        "empty.txt": "",
        "no_end.txt": "one\nneedle",
        "multi.txt": "start\n  middle\nstop\nstart stop\n",
        "name with space.txt": "needle",
        "中文/文件.txt": "找针 needle 针\n",
        ".yeaft/worktrees/w/a.py": "needle",
        "ctx.txt": "".join(f"{'needle' if n % 7 == 0 else 'row'} {n}\n" for n in range(30)),
    }
    for name, content in files.items():
        folder.file(name, content)
    (folder.root / "loop").symlink_to(folder.root)
    (folder.root / "link.py").symlink_to("a.py")
    (folder.root / "dangling").symlink_to("nowhere")
    os.mkfifo(folder.root / "pipe.txt")


@pytest.fixture
def tree(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    tricky(folder)
    return folder


TABLE: list[dict[str, object]] = [
    {"pattern": "needle"},
    {"pattern": "needle", "hidden": True},
    {"pattern": "needle", "no_ignore": True},
    {"pattern": "needle", "no_ignore": True, "hidden": True},
    {"pattern": "needle", "path": "sub"},
    {"pattern": "needle", "path": "sub/deeper"},
    {"pattern": "needle", "path": "node_modules"},
    {"pattern": "needle", "path": "x.log"},
    {"pattern": "needle", "path": "loop/a.py"},
    {"pattern": "needle", "glob": "*.py"},
    {"pattern": "needle", "glob": "*.{py,md}"},
    {"pattern": "needle", "glob": "sub/**"},
    {"pattern": "needle", "glob": "**/deeper/*.md"},
    {"pattern": "needle", "glob": "!*.txt"},
    {"pattern": "needle", "glob": "!sub"},
    {"pattern": "needle", "glob": "*.md,*.txt,!sub/deeper/"},
    {"pattern": "needle", "glob": "*.{js,go}, !gen,!node_modules", "no_ignore": True},
    {"pattern": "needle", "glob": "!vendor"},
    {"pattern": "needle", "glob": ".hid*"},
    {"pattern": "needle", "glob": ".config/*.py"},
    {"pattern": "needle", "glob": "node_modules/*.js"},
    {"pattern": "needle", "glob": "**/vendor/*.go"},
    {"pattern": "needle", "type": "py"},
    {"pattern": "needle", "type": "markdown", "glob": "sub/*"},
    {"pattern": "needle", "output_mode": "count"},
    {"pattern": "needle", "output_mode": "content"},
    {"pattern": "NEEDLE", "output_mode": "content", "case_insensitive": True},
    {"pattern": "(?i)NEEDLE t", "output_mode": "content"},
    {"pattern": "needle", "output_mode": "content", "context": 2, "path": "ctx.txt"},
    {"pattern": "needle", "output_mode": "content", "before": 1, "after": 4, "path": "ctx.txt"},
    {"pattern": "needle", "output_mode": "content", "context": 3, "path": "ctx.txt", "head_limit": 2},
    {"pattern": "needle", "output_mode": "content", "head_limit": 3},
    {"pattern": "needle", "head_limit": 2},
    {"pattern": "needle$", "output_mode": "content"},
    {"pattern": "^needle", "output_mode": "content"},
    {"pattern": "^$", "output_mode": "count", "path": "multi.txt"},
    {"pattern": "start.*stop", "output_mode": "content"},
    {"pattern": "start.*?stop", "output_mode": "content", "multiline": True},
    {"pattern": "start.*?stop$", "output_mode": "count", "multiline": True},
    {"pattern": "one\nneedle", "output_mode": "content", "multiline": True},
    {"pattern": "one\nneedle", "output_mode": "content", "multiline": True, "fixed_strings": True},
    {"pattern": "e.d[", "fixed_strings": True},
    {"pattern": "needle \\d+", "output_mode": "count"},
    {"pattern": "\\bneedle\\b.*针", "output_mode": "content"},
    {"pattern": "[[:alpha:]]+ 你好", "output_mode": "content", "glob": "*.txt"},
    {"pattern": "(?P<a>need)le|(?<b>start)", "output_mode": "count"},
    {"pattern": "ne{2}dle", "output_mode": "count"},
    {"pattern": "\\<needle\\>", "output_mode": "count"},
    {"pattern": "ne\\x{65}dle", "output_mode": "count"},
    {"pattern": "not there at all"},
]


@pytest.mark.parametrize("args", TABLE, ids=lambda args: " ".join(map(str, args.values())))
async def test_ripgrep_and_our_own_search_say_the_same(tree: Folder, args: dict[str, object]) -> None:
    told = [await tree.vp(backend).told("Grep", **args) for backend in (best_backend(), own_search)]

    assert told[0] == told[1]


def test_the_table_really_compares_with_ripgrep() -> None:
    request = SearchRequest(root="/", target=".", pattern="x", mode="count")

    assert Path(best_backend()(request)[0]).name == "rg"
    assert own_search(request)[0] == sys.executable


@pytest.mark.parametrize("backend", [best_backend(), own_search], ids=["ripgrep", "own"])
class TestGrep:
    async def test_files_are_named_once_in_order_and_ignored_ones_are_left_out(
        self, tree: Folder, backend: Backend
    ) -> None:
        assert (await tree.vp(backend).told("Grep", pattern="needle")).split("\n") == [
            "a.py",
            "bad.txt",
            "bom.txt",
            "crlf.txt",
            "ctx.txt",
            "docs/more/x.tmp",
            "gbk.txt",
            "keep.log",
            "long.js",
            "name with space.txt",
            "no_end.txt",
            "sub/deeper/readme.md",
            "sub/readme.md",
            "sub/top.txt",
            "sub/x.log",
            "utf16.txt",
            "中文/文件.txt",
        ]

    async def test_an_exclamation_mark_leaves_out_what_ripgrep_would_leave_out(
        self, tmp_path: Path, backend: Backend
    ) -> None:
        folder = Folder(tmp_path)
        names = ["a.py", "b.ts", "gen/x.js", "src/gen/y.js", "src/q.ts", "src/q.d.ts", "lib/a.py", "notes"]
        for name in names:
            folder.file(name, "needle")
        vp = folder.vp(backend)
        globs = [
            "!a.py",
            "!gen",
            "!gen/",
            "!/gen",
            "!**/gen/**",
            "!gen/**",
            "!src/gen",
            "!/a.py",
            "!*.{py,ts}",
            "!src/*/y.js",
            "!notes/",
            "![ab].*",
        ]

        told = {glob: await vp.told("Grep", pattern="needle", glob=glob) for glob in globs}
        listed = {glob: await vp.told("Glob", pattern=glob) for glob in globs}

        ripgrep = {glob: _named_by_ripgrep(folder.root, glob) for glob in globs}
        assert {glob: text.split("\n") for glob, text in told.items()} == ripgrep
        assert {glob: sorted(text.split("\n")) for glob, text in listed.items()} == ripgrep
        assert ripgrep["!gen"] == ["a.py", "b.ts", "lib/a.py", "notes", "src/q.d.ts", "src/q.ts"]

    async def test_commas_part_several_globs(self, tmp_path: Path, backend: Backend) -> None:
        folder = Folder(tmp_path)
        for name in ("a.py", "b.ts", "b.d.ts", "src/c.ts", "src/old/d.py", "e.md", "f, g.txt", "g.txt", "h,i/j.rs"):
            folder.file(name, "needle")
        vp = folder.vp(backend)

        told = {
            glob: (await vp.told("Grep", pattern="needle", glob=glob)).split("\n")
            for glob in (
                "*.py,*.ts",
                "*.ts, !*.d.ts",
                "!*.d.ts,*.{ts,py},!src/old",
                "src/**,!src/old/",
                "src/*.ts,*.md",
                "e.md,",
                "f, g.txt",
                "h,i/*.rs",
                f"{folder.root}/h,i/*.rs",
            )
        }

        assert told == {
            "*.py,*.ts": ["a.py", "b.d.ts", "b.ts", "src/c.ts", "src/old/d.py"],
            "*.ts, !*.d.ts": ["b.ts", "src/c.ts"],
            "!*.d.ts,*.{ts,py},!src/old": ["a.py", "b.ts", "src/c.ts"],
            "src/**,!src/old/": ["src/c.ts"],
            "src/*.ts,*.md": ["e.md", "src/c.ts"],
            "e.md,": ["e.md"],
            "f, g.txt": ["f, g.txt", "g.txt"],  # a name with a comma fits as a whole
            "h,i/*.rs": ["h,i/j.rs"],
            f"{folder.root}/h,i/*.rs": ["h,i/j.rs"],
        }

    async def test_lines_carry_file_and_number(self, tree: Folder, backend: Backend) -> None:
        vp = tree.vp(backend)

        told = [
            await vp.told("Grep", pattern=pattern, output_mode="content", **more)
            for pattern, more in (
                ("eedle", {"glob": "a.py"}),
                ("row 6|row 8", {"context": 1}),
                ("你好", {}),
            )
        ]
        counts = await vp.told("Grep", pattern="(?i)needle", output_mode="count", glob="{a,crlf}*")

        assert told == [
            "a.py:1:needle one\na.py:3:Needle two needle",
            "ctx.txt-6-row 5\nctx.txt:7:row 6\nctx.txt-8-needle 7\nctx.txt:9:row 8\nctx.txt-10-row 9",
            "utf16.txt:1:needle 你好",
        ]
        assert counts == "a.py:3\ncrlf.txt:2"

    async def test_results_are_bounded_and_say_so(self, tree: Folder, backend: Backend) -> None:
        vp = tree.vp(backend)
        tree.file("many.txt", "needle " + "z" * 90 + "\n" + ("needle " + "z" * 90 + "\nrow\n") * 600)

        first = await vp.told("Grep", pattern="needle", path="many.txt", output_mode="content", head_limit=2)
        full = await vp.told(
            "Grep", pattern="needle", path="many.txt", output_mode="content", head_limit=900, context=1
        )
        line = await vp.told("Grep", pattern="needle", path="long.js", output_mode="content")

        assert first.split("\n")[2:] == ["... (more results omitted)"]
        assert len(full.encode()) <= 32 * 1024
        assert full.endswith("\n[Output truncated]")
        assert "-row" not in full
        assert line == "long.js:1:" + "x" * 16384 + " [line cut at 16384 bytes]"

    @pytest.mark.parametrize("pattern", ["(?=x)", "(?<!x)y", "(a)\\1", "interface{}", "(", "[a", "a\\nb"])
    async def test_patterns_outside_the_dialect_are_refused_with_a_remedy(
        self, tree: Folder, backend: Backend, pattern: str
    ) -> None:
        refusal = await tree.vp(backend).refusal("Grep", pattern=pattern)

        assert refusal.startswith("The search failed: ")
        assert "Set fixed_strings to search for plain text." in refusal


def _named_by_ripgrep(root: Path, glob: str) -> list[str]:
    """The files that ripgrep itself would search."""
    binary = best_backend()(SearchRequest(root="/", target=".", pattern="x", mode="count"))[0]
    printed = subprocess.run([binary, "--files", "--glob", glob], cwd=root, capture_output=True, text=True, check=True)
    return sorted(printed.stdout.splitlines())


async def test_leaving_a_folder_out_does_not_open_it_and_may_be_anywhere(tree: Folder) -> None:
    vp = tree.vp()

    told = [
        await vp.told("Glob", pattern=pattern, **more)
        for pattern, more in (
            ("*.go,!node_modules", {}),
            ("vendor/*.go,!node_modules", {}),
            ("*.{js,go}", {"no_ignore": True}),
            ("*.{js,go},!vendor", {"no_ignore": True}),
            ("**/gen/*.py,!./gen", {"no_ignore": True}),
            ("sub/**,!sub/deeper,!*.log", {}),
        )
    ]

    assert [sorted(text.split("\n")) for text in told] == [
        ["(no matches)"],
        ["vendor/m.go"],
        ["long.js", "node_modules/m.js", "vendor/m.go"],
        ["long.js", "node_modules/m.js"],
        ["sub/gen/a.py"],
        ["sub/.gitignore", "sub/.ignore", "sub/readme.md", "sub/top.txt"],
    ]


async def test_places_and_types_that_do_not_exist_are_refused(tree: Folder) -> None:
    vp = tree.vp()

    refusals = [
        await vp.refusal("Grep", **{"pattern": "x", **args})
        for args in (
            {"path": "nowhere"},
            {"type": "cobol"},
            {"path": "picture.png"},
            {"path": "/"},
            {"path": "~"},
            {"pattern": ""},
            {"pattern": "a\nb"},
        )
    ]

    assert [refusal.split(";")[0] for refusal in refusals] == [
        "No folder nowhere.",
        "No file type 'cobol'",
        "picture.png is a picture",
        "Searching all of / would take too long",
        f"Searching all of {tree.home} would take too long",
        "pattern is empty",
        "The pattern has a line break",
    ]


async def test_a_search_that_takes_too_long_gives_what_it_has_and_leaves_no_process(tree: Folder) -> None:
    script = "import sys, time; sys.stdout.write('a.py\\0'); sys.stdout.flush(); time.sleep(1000)"
    tool = grep(tree.paths, lambda _: [sys.executable, "-c", script], timeout_s=1.0)

    told = await tool.run(Grep(pattern="x"), Call())

    assert str(told).startswith("a.py\n(stopped because it took too long")


async def test_cancelling_kills_the_program(tree: Folder) -> None:
    told = tree.root / "told"
    os.mkfifo(told)
    script = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(1000)"
    task = asyncio.create_task(run_search([sys.executable, "-c", script], str(tree.root), 60.0))
    pid = int(await asyncio.to_thread(told.read_text))

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_module_in_the_searched_folder_is_never_imported(tree: Folder) -> None:
    tree.file("msgspec.py", "raise SystemExit('needle: imported from the searched folder')")

    assert "msgspec.py" in await tree.vp(own_search).told("Grep", pattern="needle")


def test_the_policy_learns_which_folder_is_read(tree: Folder) -> None:
    vp = tree.vp()

    touched = [
        vp.bind(tool, **{"pattern": "*.x", **args}).touches
        for tool, args in (
            ("Grep", {}),
            ("Grep", {"path": "/etc/passwd"}),
            ("Grep", {"path": "a", "glob": "../b/*.x"}),
            ("Glob", {"pattern": "/etc/*.conf"}),
            ("Glob", {"pattern": "~/x/*.conf", "path": "y"}),
            ("Glob", {"pattern": "src/*.py", "path": "/opt"}),
            ("Grep", {"glob": "src/*.py,!src/old"}),
            ("Grep", {"glob": "src/*.py,lib/*.py", "path": "a"}),
            ("Grep", {"glob": "!/etc"}),
        )
    ]

    folders = (".", "/etc/passwd", "a/../b", "/etc", "~/x", "/opt/src", "src", "a", ".")
    assert touched == [Touches(reads=(path,)) for path in folders]


async def test_glob_lists_newest_first_with_links_and_hidden_files(tree: Folder) -> None:
    for age, name in enumerate(["a.py", "sub/top.txt", ".config/x.py"]):
        os.utime(tree.root / name, (2_000_000_000 - age,) * 2)
    vp = tree.vp()

    python = (await vp.told("Glob", pattern="*.py")).split("\n")

    assert python[:2] == ["a.py", ".config/x.py"]
    assert python[2:] == ["link.py"]
    assert (await vp.told("Glob", pattern="*.py", hidden=False)).split("\n") == ["a.py", "link.py"]
    assert await vp.told("Glob", pattern="sub/*.txt") == "sub/top.txt"
    assert await vp.told("Glob", pattern="*.txt", path="sub") == "sub/top.txt"
    assert await vp.told("Glob", pattern="gen/*.py") == "gen/a.py"
    assert await vp.told("Glob", pattern="*.nothing") == "(no matches)"
    assert await vp.told("Glob", pattern=f"{tree.root}/**/deeper/*") == "sub/deeper/readme.md"


async def test_glob_says_how_many_it_left_out(tree: Folder) -> None:
    for number in range(12):
        tree.file(f"many/{number}.c", "")

    told = await tree.vp().told("Glob", pattern="*.c", limit=5)

    assert len(told.split("\n")) == 6
    assert told.endswith("\n(5 of 12 matches, newest first; narrow the pattern for the others)")


async def test_glob_of_everything_is_refused_but_its_top_is_not(tree: Folder) -> None:
    vp = tree.vp()
    (tree.home / "top.md").write_text("")
    (tree.home / "deep").mkdir()
    (tree.home / "deep/low.md").write_text("")

    for everything in ("~/**/*.md", "/**"):
        with pytest.raises(ToolFailed, match="would take too long"):
            await vp.call("Glob", pattern=everything)
    assert await vp.told("Glob", pattern="~/*.md") == str(tree.home / "top.md")
    assert await vp.told("Glob", pattern="./*.md", path="~") == str(tree.home / "top.md")
    assert await vp.told("Glob", pattern="~/deep/**") == str(tree.home / "deep/low.md")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "c.pyc", False),
        ("**/*.py", "c.py", True),
        ("src/*.py", "c.py", True),
        ("src/*.py", "x/c.py", False),
        ("src/**/*.py", "x/y/c.py", True),
        ("./*.py", "x/c.py", False),
        ("{a,b/{c,d}}/x?.t[sx]", "b/d/x1.tx", True),
        ("{a,b/{c,d}}/x?.t[sx]", "b/x1.tx", False),
        ("[!a]*", "abc", False),
        ("[!a]*", "bbc", True),
        ("a{b", "a{b", True),
        ("a[b", "a[b", True),
        ("a}b,c", "a}b,c", True),
        ("docs/", "docs/x/y", True),
        ("src\\*.py", "c.py", True),
        ("*.d.ts", "lib.d.ts", True),
        ("a**b", "axb", True),
    ],
)
def test_globs(pattern: str, path: str, fits: bool) -> None:
    assert compile_glob(pattern).matches(path) is fits


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab*?[]{},!/.\\^-"), max_size=12), st.text(st.sampled_from("ab/.[{"), max_size=8))
def test_no_glob_is_an_error(pattern: str, path: str) -> None:
    glob = compile_glob(pattern)

    assert glob.matches(path) in {True, False}
