"""A second opinion: what forks, maps and choices come to is what pydantic-graph makes of the same programs."""

import itertools
import random
from typing import Any

import msgspec
import pytest
from pydantic_graph import GraphBuilder, StepContext, reduce_list_append

from tests.workflows.programs import Builder, Do, Fork, If, Loop, Map, Runner, Seq, random_program, result_of
from yeaft.events.graph import StepFinished, StepStarted

CHUNKS, GRAPHS = 5, 100


def made(name: str, value: Any) -> dict[str, Any]:
    """As `result_of`, whatever the order of a list: pydantic-graph joins in the order in which things happen to end."""
    ordered = sorted(value, key=msgspec.json.encode) if isinstance(value, list) else value
    return result_of(name, ordered)


def is_comparable(program: Any, within_map: bool = False) -> bool:
    """Whether pydantic-graph has a way to say a program: no map in a map, and nothing that goes round."""
    match program:
        case Do():
            return True
        case Seq(parts):
            return all(is_comparable(part, within_map) for part in parts)
        case Fork(_, _, branches, _):
            return all(is_comparable(branch, within_map) for branch in branches)
        case If(_, then, otherwise, _):
            return all(is_comparable(part, within_map) for part in (then, otherwise) if part is not None)
        case Map(_, body, _):
            return not within_map and is_comparable(body, within_map=True)
        case Loop():
            return False
    raise AssertionError(program)


def parts_of(program: Any) -> int:
    """How many forks and maps a program has."""
    match program:
        case Seq(parts):
            return sum(map(parts_of, parts))
        case Fork(_, _, branches, _):
            return 1 + sum(map(parts_of, branches))
        case If(_, then, otherwise, _):
            return parts_of(then) + (parts_of(otherwise) if otherwise is not None else 0)
        case Map(_, body, _):
            return 1 + parts_of(body)
        case _:
            return 0


class Other:
    """Writes a program down for pydantic-graph; every join names the fork it belongs to."""

    def __init__(self) -> None:
        self.builder: Any = GraphBuilder(input_type=object, output_type=object)

    def run(self, program: Any) -> Any:
        first, last = self.add(program)
        self.builder.add(
            self.builder.edge_from(self.builder.start_node).to(first),
            self.builder.edge_from(last).to(self.builder.end_node),
        )
        return self.builder.build().run(inputs="go", infer_name=False)

    def add(self, program: Any) -> tuple[Any, Any]:
        """Add a part; returns its first and its last node."""
        builder = self.builder
        match program:
            case Do(name):
                step = self.step(name)
                return step, step
            case Seq(parts):
                ends = [self.add(part) for part in parts]
                for (_, last), (first, _) in itertools.pairwise(ends):
                    builder.add(builder.edge_from(last).to(first))
                return ends[0][0], ends[-1][1]
            case Fork(name, before, branches, after):
                first, last = self.step(before.name), self.step(after.name)
                ends = [self.add(branch) for branch in branches]
                join = self.join(name, f"fork {name}")
                builder.add(
                    builder.edge_from(first).to(*(begin for begin, _ in ends), fork_id=f"fork {name}"),
                    *(builder.edge_from(end).to(join) for _, end in ends),
                    builder.edge_from(join).to(last),
                )
                return first, last
            case If(test, then, otherwise, after):
                first, last = self.step(test.name), self.step(after.name)
                begin, end = self.add(then)
                other = last
                builder.add(builder.edge_from(end).to(last))
                if otherwise is not None:
                    other, other_end = self.add(otherwise)
                    builder.add(builder.edge_from(other_end).to(last))
                choice = builder.decision()
                choice = choice.branch(builder.match(dict, matches=lambda value: value["n"] in (0, 1)).to(begin))
                choice = choice.branch(builder.match(dict).to(other))
                builder.add(builder.edge_from(first).to(choice))
                return first, last
            case Map(source, body, after):
                first, last = self.step(source.name), self.step(after.name)
                begin, end = self.add(body)
                join = self.join(f"map {source.name}", f"fork {source.name}")
                spread = builder.edge_from(first).transform(lambda ctx: ctx.inputs["items"])
                builder.add(
                    spread.map(fork_id=f"fork {source.name}", downstream_join_id=join.id).to(begin),
                    builder.edge_from(end).to(join),
                    builder.edge_from(join).to(last),
                )
                return first, last
        raise AssertionError(program)

    def step(self, name: str) -> Any:
        async def call(context: StepContext[Any, Any, Any]) -> Any:
            return made(name, context.inputs)

        return self.builder.step(call, node_id=name)

    def join(self, name: str, fork: str) -> Any:
        return self.builder.join(reduce_list_append, initial_factory=list, node_id=name, parent_fork_id=fork)


def ours(program: Any) -> Any:
    runner = Runner(Builder().graph(program))
    while not runner.execution.is_quiet:
        one = runner.execution.ready()[0]
        runner.append(StepStarted(act_id=one.act_id, attempt=0))
        value = msgspec.Raw(msgspec.json.encode(made(one.node, one.value)))
        runner.append(StepFinished(act_id=one.act_id, status="ok", value=value))
    return runner.execution.result()


@pytest.mark.parametrize("chunk", range(CHUNKS))
async def test_pydantic_graph_comes_to_the_same(chunk: int) -> None:
    chance = random.Random(chunk)
    compared = 0
    while compared < GRAPHS:
        seed = chance.randrange(10**9)
        program = random_program(seed)
        if not is_comparable(program) or not parts_of(program):
            continue

        theirs = await Other().run(program)

        assert theirs == ours(program), seed
        compared += 1
