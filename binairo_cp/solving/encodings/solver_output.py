"""Parse the output of solvers: the status and the values of the variables.

Solvers print different formats. The status is a line ``s SATISFIABLE``, or only the word (MiniSat).
No answer is ``s UNKNOWN``, ``c UNKNOWN`` (CaDiCaL) or ``s INDETERMINATE`` (CryptoMiniSat). Values
follow ``v``, before or after the status. MiniSat writes them to a separate file, below ``SAT`` and
without ``v``. Variables may begin with ``x``. clasp can print several models, and JSON. MaxSAT
solvers may print all values as one word, ``v 0110``. clingo prints ``cell(0,1,1)`` for each cell,
and MiniZinc all cells as one word, with its own lines for the status. Exit codes are ignored, since
they say less, and some solvers use the same codes for malformed input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from binairo_cp.errors import FormatError
from binairo_cp.json_library import orjson


class Status(StrEnum):
    """The answer of a solver."""

    SATISFIABLE = "SATISFIABLE"
    UNSATISFIABLE = "UNSATISFIABLE"
    UNKNOWN = "UNKNOWN"


Values = dict[int, bool]


@dataclass(slots=True)
class SolverOutput:
    """The parsed output of a solver.

    Attributes:
        status: the answer; None if there is none.
        models: the values of the first variables in each model. A model that ends with 0 is
            complete; variables without a value are false, since they occur in no clause.
        has_comments: there are comments as solvers print them, even if there is no answer.
        is_optimum: the solver says that the model is an optimum.
    """

    status: Status | None = None
    models: list[Values] = field(default_factory=list)
    has_comments: bool = False
    is_optimum: bool = False


_OPTIMUM = "OPTIMUM FOUND"
_WORDS = {
    "SATISFIABLE": Status.SATISFIABLE,
    "SAT": Status.SATISFIABLE,
    _OPTIMUM: Status.SATISFIABLE,
    "UNSATISFIABLE": Status.UNSATISFIABLE,
    "UNSAT": Status.UNSATISFIABLE,
    "=====UNSATISFIABLE=====": Status.UNSATISFIABLE,
    "=====UNKNOWN=====": Status.UNKNOWN,
    "UNKNOWN": Status.UNKNOWN,
    "INDETERMINATE": Status.UNKNOWN,
    "INDET": Status.UNKNOWN,
    "UNSUPPORTED": Status.UNKNOWN,
}
_LITERAL = re.compile(r"([-+~]?)x?([0-9]{1,12})")
_ATOM = re.compile(r"cell\(([0-9]{1,3}),([0-9]{1,3}),([01])\)")
_LEAST_WORD = 4
"""No formula has so many variables that one has as many digits as there are cells, if these are
four or more."""
_BARE_VALUES = re.compile(r"[-0-9\s]+")
_NEXT_MODEL = re.compile(r"c\s+Answer:")
MAX_MODELS = 1_000
MAX_VALUES = 1_000_000
"""Limits of the models kept: their number, and their values in total. Two are always kept."""


def read(answer: bytes, variables: int, source: str, width: int = 0) -> SolverOutput:
    """Parse the output of a solver, the JSON of clasp, or a result file of MiniSat.

    Args:
        answer: what the solver printed.
        variables: how many variables are read, from the first on.
        source: the name of the file, for errors.
        width: that of the board, if the answer may name its cells, as that of clingo does.

    Raises:
        FormatError: the output contradicts itself, or can't be understood.
    """
    if answer.lstrip().startswith(b"{"):
        return _read_json(answer, variables, source, width)
    reader = _OutputReader(variables, source, width)
    for number, line in enumerate(answer.decode(errors="replace").splitlines(), 1):
        reader.read(number, line.strip())
    return reader.output()


def _read_json(document: bytes, variables: int, source: str, width: int) -> SolverOutput:
    """Parse the JSON that clasp and clingo print with ``--outf=2``."""

    def bad(message: str) -> FormatError:
        return FormatError(message, source=source, expected="the JSON that clasp --outf=2 prints")

    try:
        result = orjson.loads(document)
    except orjson.JSONDecodeError as error:
        raise bad(f"invalid JSON: {error}") from error
    try:
        output = SolverOutput(_WORDS.get(result["Result"]))
        for call in result.get("Call", []):
            for witness in call.get("Witnesses", []):
                if len(output.models) < _most_models(variables):
                    reader = _OutputReader(variables, source, width)
                    text = " ".join(map(str, witness["Value"]))
                    # clingo names all cells, and clasp no variable that occurs in no clause.
                    reader.read_values(None, text if "cell(" in text else f"{text} 0")
                    output.models += reader.output().models
    except (AttributeError, KeyError, TypeError) as error:
        raise bad("this is JSON, but not a result of clasp") from error
    if output.status is None:
        raise bad(f"unknown result {result['Result']!r}")
    if output.status is Status.UNSATISFIABLE and output.models:
        raise bad("the result is UNSATISFIABLE, but there are values")
    return output


def literals(model: Values, variables: int) -> list[int]:
    """The literals of the first variables; variables without a value are false."""
    return [number if model.get(number) else -number for number in range(1, variables + 1)]


def _most_models(variables: int) -> int:
    """The maximum number of models to keep, each with this number of variables."""
    return max(2, min(MAX_MODELS, MAX_VALUES // max(1, variables)))


class _OutputReader:
    """Parses line by line; stores the values of the first variables only."""

    def __init__(self, variables: int, source: str, width: int) -> None:
        self._variables, self._source, self._width = variables, source, width
        self._found = SolverOutput()
        self._model: Values = {}

    def read(self, number: int, line: str) -> None:
        if not line:
            return
        kind, _, rest = line.replace("\t", " ").partition(" ")
        if kind == "s":
            self._read_status(number, rest.strip())
        elif kind == "v":
            self.read_values(number, rest)
        elif kind == "p":
            raise self._bad(number, "this is a formula", "the output of a solver")
        elif kind == "c":
            self._found.has_comments = True
            if rest.strip() in ("UNKNOWN", "INDETERMINATE"):
                self._found.status = self._found.status or Status.UNKNOWN
            elif _NEXT_MODEL.match(line):
                self._end_model()
        else:
            self._read_unmarked(number, line)

    def _read_unmarked(self, number: int, line: str) -> None:
        """Read a line of MiniSat, clingo or MiniZinc."""
        if line in _WORDS:
            self._set_status(number, line)
        elif self._found.status is Status.SATISFIABLE and _BARE_VALUES.fullmatch(line):
            self.read_values(number, line)
        elif line.startswith("cell("):
            self.read_values(number, line)
            self._end_model()
        elif len(line) == self._variables:
            self._read_word(line, least=1)

    def _read_word(self, word: str, least: int = _LEAST_WORD) -> bool:
        """Read the values of all variables as one word, if this is one."""
        if len(word) < max(least, self._variables) or not set(word) <= {"0", "1"}:
            return False
        self._model = {k + 1: word[k] == "1" for k in range(self._variables)}
        self._end_model()
        return True

    def _read_status(self, number: int, text: str) -> None:
        # picosat --all prints the number of models at the end, and nothing else if it is 0.
        word, _, models = text.partition(" ")
        if word != "SOLUTIONS":
            self._set_status(number, text)
        elif models == "0":
            self._set_status(number, Status.UNSATISFIABLE.value)

    def read_values(self, number: int | None, text: str) -> None:
        """Read values; a 0 ends the model, and so does a word of all values."""
        if self._read_word(text.strip()):
            return
        if self._width:
            text = _ATOM.sub(self._literal, text)
        for word in text.split():
            match = _LITERAL.fullmatch(word)
            if not match:
                raise self._bad(number, f"{word[:40]!r} is not a value", "numbers as in v 1 -2 3 0")
            variable, value = int(match[2]), match[1] not in ("-", "~")
            if not variable:
                self._end_model(is_complete=True)
            elif variable <= self._variables and self._model.setdefault(variable, value) != value:
                raise self._bad(number, f"variable {variable} is both true and false", "one value")

    def _literal(self, atom: re.Match[str]) -> str:
        row, column, value = map(int, atom.groups())
        place = row * self._width + column
        if column >= self._width or place >= self._variables:
            return atom[0]
        return str(place + 1 if value else -place - 1)

    def output(self) -> SolverOutput:
        self._end_model()
        found = self._found
        if found.status is None and found.models:
            found.status = Status.SATISFIABLE
        if found.status is Status.UNSATISFIABLE and found.models:
            fault = "the status is UNSATISFIABLE, but there are values"
            raise self._bad(None, fault, "one or the other")
        return found

    def _set_status(self, number: int, word: str) -> None:
        status = _WORDS.get(word)
        if status is None:
            raise self._bad(number, f"unknown status {word[:40]!r}", "SATISFIABLE")
        self._found.is_optimum = word == _OPTIMUM
        # Each model may have its own status.
        self._end_model()
        if (
            self._found.status is Status.SATISFIABLE
            and self._found.models
            and status is not self._found.status
        ):
            # CryptoMiniSat ends a list of models in this way: there are no more.
            return
        if self._found.status not in (None, Status.UNKNOWN, status):
            raise self._bad(number, f"status {status} after {self._found.status}", "one answer")
        self._found.status = status

    def _end_model(self, *, is_complete: bool = False) -> None:
        model, self._model = self._model, {}
        if len(self._found.models) >= _most_models(self._variables):
            return
        if is_complete:
            model = dict.fromkeys(range(1, self._variables + 1), False) | model
        if model:
            self._found.models.append(model)

    def _bad(self, number: int | None, message: str, expected: str) -> FormatError:
        return FormatError(message, source=self._source, line=number, expected=expected)
