"""Partitions on the workers of a Dask cluster.

A partition is a future with its history: when a worker dies, Dask makes its partitions anew from
where they came from, and asks the questions that were open once more. Questions are pure, so the
answers are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boolrules._support.optional import require
from boolrules.distributed.answers import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boolrules.distributed.workers import Question

# How many answers are combined at once: by workers, so that the client gets one.
FAN_IN = 8
INSTALL = 'pip install "boolrules[dask]"'


class DaskWorkers:
    """Partitions as futures of a Dask client."""

    def __init__(self, client: Any, partitions: Sequence[Any]) -> None:
        self._client = client
        self.partitions = list(partitions)

    def __len__(self) -> int:
        return len(self.partitions)

    @property
    def n_at_once(self) -> int:
        """Threads of all workers, as far as there are partitions for them."""
        return max(1, min(len(self), sum(self._client.nthreads().values())))

    def share(self, value: Any) -> Any:
        """Bring a value to the workers as the result of a task, which can be run again."""
        return self._client.submit(_same, value, pure=False)

    def ask(self, question: Question, *arguments: Any, some: Sequence[int] | None = None) -> Any:
        """Ask partitions, all or some, and return the answers combined."""
        places = range(len(self)) if some is None else some
        submit = self._client.submit
        answers = [
            submit(_ask, question, self.partitions[p], *arguments, pure=False) for p in places
        ]
        return combined(self._client, answers)


def combined(client: Any, answers: Sequence[Any]) -> Any:
    """Combine answers on the workers, a few at a time and always in the same order.

    Where a part was turned down, say what for.
    """
    answers = list(answers)
    while len(answers) > 1:
        answers = [
            client.submit(_combine, *group, pure=False) if len(group) > 1 else group[0]
            for group in _groups(answers)
        ]
    return accepted(answers[0].result())


def accepted(answer: Any) -> Any:
    """Return an answer, or raise what a part was turned down for."""
    if isinstance(answer, Refused):
        raise answer.error
    return answer


def current_client() -> Any:
    """Return the client that is in use, or start one in this process."""
    distributed = require("distributed", needed_for="engine='dask'", install=INSTALL)
    try:
        return distributed.get_client()
    except ValueError:
        # Any port: another cluster on this machine may have the usual one.
        return distributed.Client(processes=False, dashboard_address=":0", set_as_default=True)


def _groups(answers: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(answers), FAN_IN):
        yield answers[start : start + FAN_IN]


def _same(value: Any) -> Any:
    return value


def _ask(question: Question, partition: Any, *arguments: Any) -> Any:
    return partition if isinstance(partition, Refused) else question(partition, *arguments)


def _combine(*answers: Any) -> Any:
    """Combine answers; parts that are by themselves in order may not be so together."""
    refused = [answer for answer in answers if isinstance(answer, Refused)]
    if refused:
        return refused[0]
    try:
        return answers[0].combined(answers[1:])
    except (ValueError, TypeError) as error:
        return Refused(error)
