"""Who holds the partitions: asked one question at a time, of all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boolrules.distributed.partition import Partition

Question = Callable[..., Any]


class Workers(Protocol):
    """Partitions, wherever they are."""

    def __len__(self) -> int:
        """How many partitions there are."""
        ...

    @property
    def n_at_once(self) -> int:
        """How many partitions are worked on at the same time."""
        ...

    def share(self, value: Any) -> Any:
        """Bring a value to the workers; the result stands for it as an argument of questions."""
        ...

    def ask(self, question: Question, *arguments: Any, some: Sequence[int] | None = None) -> Any:
        """Ask partitions, all or some, and return the answers combined.

        ``question(partition, *arguments)`` must be pure, so that it can be asked again, and its
        answers must have a method ``combined(others)``.
        """
        ...


class InProcess:
    """Partitions in this process, one after another: for tests, and for one machine."""

    def __init__(self, partitions: Sequence[Partition]) -> None:
        self._partitions = list(partitions)

    def __len__(self) -> int:
        return len(self._partitions)

    @property
    def n_at_once(self) -> int:
        """One."""
        return 1

    def share(self, value: Any) -> Any:
        """Return the value itself."""
        return value

    def ask(self, question: Question, *arguments: Any, some: Sequence[int] | None = None) -> Any:
        """Ask one partition after another."""
        places = range(len(self)) if some is None else some
        answers = [question(self._partitions[p], *arguments) for p in places]
        return answers[0].combined(answers[1:])
