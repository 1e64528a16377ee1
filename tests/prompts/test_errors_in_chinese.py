"""Every error that is made for users can be told in Chinese: what the code says in English is among the said texts."""

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

from yeaft.prompts.ui import Ui

YEAFT = Path(__file__).parents[2] / "yeaft"
FOR_MODELS = ("tools", "llm/scripted", "flows.py", "interfaces/flow_arguments.py")
"""Errors that models and programs read stay in English."""
ERRORS = frozenset(
    (
        *("YeaftError", "UsageError", "BadData", "NotFound", "ConfigError", "NoCredentials", "NeedsConsent", "Denied"),
        *("SessionBusy", "StoreFailed", "JournalDamaged", "Conflict", "Fenced", "Mistake", "NotMeant"),
    )
)
COMPOSED = frozenset(
    (
        "zq9 zq9",  # a path before what is wrong with the file
        "zq9: zq9",
        "zq9: @zq9: zq9",
        "zq9: !`zq9`: zq9",
        "zq9:zq9: zq9",
        "zq9 Add zq9 to let it run.",  # as in the test of slash commands
        "--schema zq9.",
        "--schema zq9 zq9.",
        "no edge can go zq9 'zq9'",  # to, from
        "the graph 'zq9' has zq9 zq9; zq9 are the most",  # steps, edges
    )
)
"""What only puts others together, each of which is told on its own."""
PLACE = "zq9"


class Words:
    """What expressions can say, with `zq9` wherever a value is filled in that is not named in one of `places`."""

    def __init__(self, *places: ast.AST) -> None:
        self._named: dict[str, list[str]] = {}
        for node in itertools.chain.from_iterable(map(ast.walk, places)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._named[name] = self._named.get(name, []) + self.of(value)
                case _:
                    pass

    def of(self, node: ast.expr) -> list[str]:
        """Every text that `node` can come to; empty if it says nothing by itself."""
        match node:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.JoinedStr(values=values):
                return ["".join(parts) for parts in itertools.product(*map(self._filled, values))]
            case ast.FormattedValue(conversion=114):
                return [f"'{PLACE}'"]
            case ast.FormattedValue(value=value):
                return self.of(value)
            case ast.Name(id=name):
                return self._named.get(name, [])
            case ast.IfExp(body=body, orelse=orelse):
                return self._filled(body) + self._filled(orelse)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return ["".join(pair) for pair in itertools.product(self._filled(left), self._filled(right))]
            case _:
                return []

    def _filled(self, node: ast.expr) -> list[str]:
        return self.of(node) or [PLACE]


def functions(module: ast.Module) -> Iterator[ast.AST]:
    """The functions and methods of a module, those within them left to them."""
    pending: list[ast.AST] = [module]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            else:
                pending.append(node)


def said() -> Iterator[tuple[str, str]]:
    """Each error text that stands in the code, and where."""
    for path in sorted(YEAFT.rglob("*.py")):
        place = path.relative_to(YEAFT).as_posix()
        if place.startswith(FOR_MODELS):
            continue
        module = ast.parse(path.read_text(encoding="utf-8"))
        constants = [one for one in module.body if isinstance(one, ast.Assign)]
        for function in functions(module):
            words = Words(*constants, function)
            for node in ast.walk(function):
                match node:
                    case ast.Call(func=ast.Name(id=name), args=[*_, shown]) if name in ERRORS:
                        found = (text for text in words.of(shown) if " " in text and ": ." not in text)
                        yield from ((f"{place}:{node.lineno}", text) for text in found)
                    case _:
                        pass


def test_every_error_can_be_told_in_chinese() -> None:
    chinese = Ui("zh")

    untold = [f"{place} {text}" for place, text in said() if text not in COMPOSED and chinese.retold(text) == text]

    assert untold == []  # add them to [said] in templates/ui/{en,zh}.toml
