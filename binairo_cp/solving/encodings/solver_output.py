"""What SAT and pseudo-Boolean solvers print: their answer and its values, whoever they are.

Their manners differ. A status is a line ``s SATISFIABLE``, or the bare word (MiniSat); no answer is
``s UNKNOWN``, ``c UNKNOWN`` (CaDiCaL) or ``s INDETERMINATE`` (CryptoMiniSat). Values follow ``v``,
before the status or after it, or stand bare in a file of their own below ``SAT`` (MiniSat); their
variables may begin with ``x``. clasp can print JSON instead, and several models. Exit codes are not
looked at: they say less, and some say it of malformed input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

import orjson

from binairo_cp.errors import FormatError


class Status(StrEnum):
    """What a solver says."""

    SATISFIABLE = "SATISFIABLE"
    UNSATISFIABLE = "UNSATISFIABLE"
    UNKNOWN = "UNKNOWN"


Values = dict[int, bool]


@dataclass(slots=True)
class SolverOutput:
    """The answer of a solver.

    Attributes:
        status: what it says; None if it says nothing.
        models: of each model the values of the first variables. One that ends with a 0 is whole,
            and what it leaves out is false: no clause mentions it.
        has_comments: it has lines that solvers print, even if it says nothing.
    """

    status: Status | None = None
    models: list[Values] = field(default_factory=list)
    has_comments: bool = False


_WORDS = {
    "SATISFIABLE": Status.SATISFIABLE,
    "SAT": Status.SATISFIABLE,
    "OPTIMUM FOUND": Status.SATISFIABLE,
    "UNSATISFIABLE": Status.UNSATISFIABLE,
    "UNSAT": Status.UNSATISFIABLE,
    "UNKNOWN": Status.UNKNOWN,
    "INDETERMINATE": Status.UNKNOWN,
    "INDET": Status.UNKNOWN,
    "UNSUPPORTED": Status.UNKNOWN,
}
_LITERAL = re.compile(r"([-+~]?)x?([0-9]{1,12})")
_BARE_VALUES = re.compile(r"[-0-9\s]+")
_NEXT_MODEL = re.compile(r"c\s+Answer:")
MAX_MODELS = 1_000
MAX_VALUES = 1_000_000
"""More models than that in one answer are passed over, or than have so many values, but for two."""


def read(answer: bytes, variables: int, source: str) -> SolverOutput:
    """The answer in all that a solver printed, or in a result file of MiniSat.

    Args:
        answer: lines, or the JSON of clasp.
        variables: how many variables are wanted; the values of others are passed over.
        source: the file's name, for errors.

    Raises:
        FormatError: it contradicts itself, or means nothing.
    """
    if answer.lstrip().startswith(b"{"):
        return _read_json(answer, variables, source)
    reader = _Reader(variables, source)
    for number, line in enumerate(answer.decode(errors="replace").splitlines(), 1):
        reader.read(number, line.strip())
    return reader.output()


def _read_json(document: bytes, variables: int, source: str) -> SolverOutput:
    """The answer in the JSON that clasp prints with ``--outf=2``.

    Raises:
        FormatError: it is something else.
    """

    def bad(message: str) -> FormatError:
        return FormatError(message, source=source, expected="the JSON that clasp --outf=2 prints")

    try:
        told = orjson.loads(document)
    except orjson.JSONDecodeError as error:
        raise bad(f"invalid JSON: {error}") from error
    try:
        output = SolverOutput(_WORDS.get(told["Result"]))
        for call in told.get("Call", []):
            for witness in call.get("Witnesses", []):
                if len(output.models) < _most_models(variables):
                    reader = _Reader(variables, source)
                    reader.read_values(None, " ".join(map(str, [*witness["Value"], 0])))
                    output.models += reader.output().models
    except (AttributeError, KeyError, TypeError) as error:
        raise bad("JSON without a result of clasp") from error
    if output.status is None:
        raise bad(f"the result {told['Result']!r} means nothing here")
    if output.status is Status.UNSATISFIABLE and output.models:
        raise bad("says UNSATISFIABLE, and has values")
    return output


def literals(model: Values, variables: int) -> list[int]:
    """The literals of the first variables; one without a value is in no clause, and false here."""
    return [number if model.get(number) else -number for number in range(1, variables + 1)]


def _most_models(variables: int) -> int:
    """How many models of so many variables are kept."""
    return max(2, min(MAX_MODELS, MAX_VALUES // max(1, variables)))


class _Reader:
    """Reads line by line, in memory for the wanted variables only."""

    def __init__(self, variables: int, source: str) -> None:
        self._variables = variables
        self._source = source
        self._status: Status | None = None
        self._model: Values = {}
        self._models: list[Values] = []
        self._has_comments = False

    def read(self, number: int, line: str) -> None:
        if not line:
            return
        kind, _, rest = line.replace("\t", " ").partition(" ")
        if kind == "s":
            self._read_status(number, rest.strip())
        elif kind == "v":
            self.read_values(number, rest)
        elif kind == "p":
            raise self._bad(number, "a formula", "what a solver answers to it")
        elif kind == "c":
            self._has_comments = True
            if rest.strip() in ("UNKNOWN", "INDETERMINATE"):
                self._status = self._status or Status.UNKNOWN
            elif _NEXT_MODEL.match(line):
                self._end_model()
        elif line in _WORDS:
            self._tell(number, line)
        elif self._status is Status.SATISFIABLE and _BARE_VALUES.fullmatch(line):
            self.read_values(number, line)

    def _read_status(self, number: int, said: str) -> None:
        # picosat --all tells the number of its models at the end, and nothing else if it is 0.
        word, _, models = said.partition(" ")
        if word != "SOLUTIONS":
            self._tell(number, said)
        elif models == "0":
            self._tell(number, Status.UNSATISFIABLE.value)

    def read_values(self, number: int | None, text: str) -> None:
        """Take values, up to a 0 that ends them."""
        for word in text.split():
            match = _LITERAL.fullmatch(word)
            if not match:
                raise self._bad(number, f"{word[:40]!r} is no value", "numbers, as in v 1 -2 3 0")
            variable, value = int(match[2]), match[1] not in ("-", "~")
            if not variable:
                self._end_model(whole=True)
            elif variable <= self._variables and self._model.setdefault(variable, value) != value:
                raise self._bad(number, f"variable {variable} is both true and false", "one")

    def output(self) -> SolverOutput:
        self._end_model()
        if self._status is None and self._models:
            self._status = Status.SATISFIABLE
        if self._status is Status.UNSATISFIABLE and self._models:
            raise self._bad(None, "says UNSATISFIABLE, and has values", "one of them")
        return SolverOutput(self._status, self._models, self._has_comments)

    def _tell(self, number: int, word: str) -> None:
        status = _WORDS.get(word)
        if status is None:
            raise self._bad(number, f"the status {word[:40]!r} means nothing here", "SATISFIABLE")
        # A model may be followed by another with a status of its own.
        self._end_model()
        if self._status is Status.SATISFIABLE and self._models and status is not self._status:
            # CryptoMiniSat ends a list of models so: there are no more.
            return
        if self._status not in (None, Status.UNKNOWN, status):
            raise self._bad(number, f"says {status} after {self._status}", "one answer")
        self._status = status

    def _end_model(self, *, whole: bool = False) -> None:
        model, self._model = self._model, {}
        if len(self._models) >= _most_models(self._variables):
            return
        if whole:
            model = dict.fromkeys(range(1, self._variables + 1), False) | model
        if model:
            self._models.append(model)

    def _bad(self, number: int | None, message: str, expected: str) -> FormatError:
        return FormatError(message, source=self._source, line=number, expected=expected)
