"""Which functions of a folder an action calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType


def called_in(folder: Path, action: Callable[[], object]) -> set[tuple[str, str]]:
    """Module and name of each function called, of a method its class; the action is carried out twice."""
    called: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.parent == folder:
            called.add((path.stem, frame.f_code.co_qualname.partition(".")[0]))

    action()  # what it imports runs bodies of modules and of classes, which are no calls
    sys.setprofile(watch)
    try:
        action()
    finally:
        sys.setprofile(None)
    return called
