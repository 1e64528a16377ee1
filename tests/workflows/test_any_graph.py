"""Any graph of forks, ifs, maps, loops and joins comes to what the same program comes to when it is simply called."""

import random

import pytest

from tests.workflows.programs import Builder, Runner, cut_differences, evaluated, random_program

CHUNKS, GRAPHS = 10, 300


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_graph_comes_to_what_its_program_comes_to_in_whatever_order_its_steps_end(chunk: int) -> None:
    for seed in range(chunk * GRAPHS, (chunk + 1) * GRAPHS):
        program = random_program(seed)
        graph = Builder().graph(program)

        results = [Runner(graph).run(random.Random(f"{seed}/{order}")) for order in range(2)]

        assert results == [evaluated(program, "go")] * 2, seed


def test_a_run_that_is_cut_off_before_any_event_comes_to_the_same_with_the_same_ids() -> None:
    for seed in range(0, CHUNKS * GRAPHS, 75):  # `scripts/drill appends --graphs 3000` takes all of them
        _, differing = cut_differences(seed)

        assert differing == []
