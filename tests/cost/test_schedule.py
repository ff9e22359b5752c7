"""Which cell begins where, by hand."""

from __future__ import annotations

import pytest

from selu.cost.schedule import Load, Needs, Room, hours_on, share_gpus


def load(hours: float, *gpus: int, lost: float = 0.0) -> Load:
    """A training that takes so long on the fewest GPUs; ``lost`` is what does not shrink with more."""
    return Load(gpus, lambda number: lost + (hours - lost) * gpus[0] / number)


def test_the_longest_begins_first_on_the_fewest_gpus_and_others_beside_it():
    loads = {"a": load(1, 1), "b": load(4, 2), "c": load(3, 1), "d": load(2, 1)}
    assert hours_on(loads, [3]) == 5  # 4 on two, beside it 3 and then 2 on the third
    assert hours_on(loads, [8]) == 4


def test_a_cell_above_the_mean_load_takes_more_gpus_where_they_are_worth_it():
    rest = {str(number): load(1, 1) for number in range(12)}
    assert share_gpus({"long": load(20, 1, 2, 4, 8), **rest}, 4)["long"] == 4
    assert hours_on({"long": load(20, 1, 2, 4, 8), **rest}, [4]) == 8  # not 20
    assert share_gpus({"long": load(20, 1, 2, lost=15), **rest}, 4)["long"] == 1


def test_shorter_cells_do_not_keep_a_long_one_waiting_for_ever():
    """Each of them would take the GPU that just came free."""
    room = Room({"a": Needs(8, 3), "b": Needs(8, 1)})
    assert room.find(Needs(1, 4), ["a", "b"]) is None
    assert room.find(Needs(1, 1), ["a"]) is None
    assert room.find(Needs(1, 1), ["a", "b"]) == "b"
    assert room.find(Needs(1), ["a"]) == "a"  # what takes no GPU may begin
    assert (
        hours_on({"first": load(3, 2), "four": load(2, 4), **{f"{i}": load(1, 1) for i in range(4)}}, [4]) == 6
    )


@pytest.mark.parametrize(
    ("needs", "node"), [(Needs(1, 1), "small"), (Needs(1, 2), "large"), (Needs(6), "large"), (Needs(9), None)]
)
def test_a_cell_takes_the_node_whose_room_suits_best(needs, node):
    room = Room({"small": Needs(4, 1, 100), "large": Needs(8, 4, 100)})
    assert room.find(needs, ["small", "large"]) == node
    assert room.find(Needs(1, 1, 101), ["small", "large"]) is None  # for want of memory
