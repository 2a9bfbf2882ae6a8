"""Lemmas: values of a few cells that can't hold together, where no technique finds more.

The search tries a value, and others after it, as in a proof by a SAT solver. What unit propagation
refutes becomes a lemma, a clause that later propagations use, down to a single value. The idea to
turn a proof into steps for people, and to keep only those that are needed, is from Bleukx and
others ("Using certifying constraint solvers for generating step-wise explanations", 2026). The
techniques of a chain find all that propagation finds, so each lemma gets a chain, which uses
earlier lemmas as further rules. Only lemmas that a chain uses are kept.

Where there is no solution, the techniques and lemmas fill cells until a rule breaks. Then a search
for a short path keeps only the steps that the broken rule needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.contradiction import CONTRADICTION, instead
from binairo_cp.deduction.driver import DIRECT
from binairo_cp.deduction.position import BrokenRule, Position, Values
from binairo_cp.deduction.shortest_chain import (
    FOLLOWED,
    Clock,
    Given,
    length_of,
    needed_steps,
    shortest_ending,
)
from binairo_cp.deduction.steps import Chain, Step, refutation
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LEVELS, Technique
from binairo_cp.deduction.wording import Assigned, Phrase
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.engines import Propagator
from binairo_cp.solving.constraints import Clue, Distinct, column_places, constraints, row_places
from binairo_cp.solving.encodings.cnf import Encoder

LEMMA = Technique("lemma", LEVELS[-1])
BY_LEMMA = Technique("by lemma", LEVELS[-1])

WORK = 100_000
"""Maximum work for a puzzle. The unit is a propagation."""

_CHAIN = 50
"""The work to find a chain."""

_MOST_SPLIT = 8
"""Of so many values, consequences are tried several deep."""

_MOST_COMPARED = 4
"""After a value is refuted, so many others are tried; the one with the fewest lines is shown."""

_FEW_LINES = 20
"""With so few lines, no other value is tried."""

_MOST_SEARCHES = 2
"""Maximum number of searches for a shorter chain."""

_ALWAYS_FOUND = {technique.name for technique in FOLLOWED}

_MOST_REFUTED = 8
"""Of so many values that are refuted in the fewest rounds, the one with the shortest chain is
shown."""

_MOST_SEARCHES_OF_PATHS = 20
"""Maximum number of searches for a shorter path to a broken rule."""

_Lemma = tuple[int, ...]
"""Literals that can't all be true: a positive one for a 1 in a cell, counted from 1."""


class Lemmas:
    """Finds lemmas that refute a value in one position after the other of a puzzle."""

    def __init__(self, puzzle: Puzzle, meter: Meter) -> None:
        self._board = puzzle.board
        self._meter, self._work = meter, Meter(Budget(work=WORK))
        encoder = Encoder(len(puzzle.board.cells))
        # Lines are compared when they are full, as people do.
        kept = (rule for rule in constraints(puzzle) if not isinstance(rule, Clue | Distinct))
        self._rules = [clause for rule in kept for clause in encoder.clauses(rule)]
        lines = [*row_places(puzzle.board), *column_places(puzzle.board)]
        self._lines = [[place + 1 for place in line] for line in lines]
        self._is_distinct = puzzle.rules.distinct_lines
        self._lemmas: list[_Lemma] = []
        self._first = 0
        self._numbers: dict[int, int] = {}
        self._steps: dict[int, Step] = {}

    def steps(self, position: Position, wrong: Values | None = None) -> list[Step]:
        """The lemmas that refute a value, which the last step is about; none after too much work.

        In the position, no technique finds anything. `wrong` are values without a solution; None if
        no value has one.

        Raises:
            BudgetExceeded: The time ran out.
        """
        self._begin(position)
        best: list[Step] = []
        try:
            for number in self._refuted(wrong):
                found = self._shown(position, number, {})
                if not best or _lines(found) < _lines(best):
                    best = found
                if _lines(best) <= _FEW_LINES:
                    break
        except BudgetExceeded as error:
            if error.by == "time":
                raise
        self._steps |= {step.lemma: step for step in best if step.lemma is not None}
        # Others may be about known cells soon.
        self._lemmas = [lemma if n in self._steps else () for n, lemma in enumerate(self._lemmas)]
        return best

    def uses(self, position: Position) -> Iterator[Step]:
        """Yield what follows from known cells by the lemmas that are shown."""
        board = position.board
        for values, step in self._uses(len(self._lemmas)):
            (cell,) = step.values
            if board[cell] == OPEN and all(board[tried] == values[tried] for tried in values):
                yield _with_known(step, self._steps)

    def wrong(self, position: Position) -> BrokenRule | None:
        """A lemma that is shown and does not hold."""
        for number, step in self._steps.items():
            if step.chain and all(position.board[c] == v for c, v in step.chain.tried.items()):
                return self._fault(number, self._steps)
        return None

    def next_steps(self, position: Position, solution: Board) -> Iterator[Step]:
        """Yield a step towards the only solution, after the lemmas that it uses and that are new.

        In the position, no technique finds anything.

        Raises:
            BudgetExceeded: The time ran out.
        """
        open_cells = (cell for cell in solution.clues() if position.board[cell[0]] == OPEN)
        wrong = {cell: opposite(value) for cell, value in open_cells}
        step = next(self.uses(position), None)
        yield from self.placed([step] if step else self.steps(position, wrong)[-1:])

    def placed(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Yield steps, each after the lemmas that it uses; lemmas get numbers from 1."""
        for step in steps:
            chain = step.chain
            uses: Iterable[Step | BrokenRule] = (*chain.steps, chain.broken) if chain else (step,)
            for use in uses:
                yield from self._new(use)
            if step.chain and step.lemma is not None:
                self._numbers[step.lemma] = len(self._numbers) + 1
            yield self._numbered(step)

    def placed_ending(
        self, steps: Iterable[Step], broken: BrokenRule
    ) -> tuple[tuple[Step, ...], BrokenRule]:
        """The same for steps and the rule that they break."""
        if broken.lemma is not None:
            broken = self._fault(broken.lemma, self._steps)
        placed = (*self.placed(steps), *self._new(broken))
        return placed, replace(broken, lemma=self._number(broken))

    def _new(self, use: Step | BrokenRule) -> Iterator[Step]:
        """The lemma that is used, if it has no place yet, after the lemmas that it uses."""
        if use.lemma is not None and use.lemma not in self._numbers:
            yield from self.placed([self._steps[use.lemma]])

    def _numbered(self, step: Step) -> Step:
        chain = step.chain
        if chain:
            steps = tuple(map(self._numbered, chain.steps))
            broken = replace(chain.broken, lemma=self._number(chain.broken))
            chain = replace(chain, steps=steps, broken=broken)
        return replace(step, lemma=self._number(step), chain=chain)

    def _number(self, use: Step | BrokenRule) -> int | None:
        return None if use.lemma is None else self._numbers[use.lemma]

    def _begin(self, position: Position) -> None:
        """Start from the rules, the known cells and the lemmas that are shown."""
        self._first = len(self._lemmas)
        self._known = {self._literal(*clue) for clue in position.board.clues()}
        shown = ([-literal for literal in self._lemmas[number]] for number in self._steps)
        open_places = set(self._open([]))
        self._left = [len(open_places.intersection(line)) for line in self._lines]
        full = (line for line, left in enumerate(self._left) if not left)
        self._full = {self._line_key(line, self._known) for line in full}
        self._solver = Propagator([*self._rules, *shown, *([literal] for literal in self._known)])

    def _literal(self, cell: Cell, value: str) -> int:
        place = self._board.place(cell) + 1
        return place if value == "1" else -place

    def _values(self, literals: Iterable[int]) -> Values:
        return {self._board.cell(abs(literal) - 1): "01"[literal > 0] for literal in literals}

    # The search

    def _refuted(self, wrong: Values | None) -> Iterator[int]:
        """Learn lemmas that refute a value; yield the numbers of the last of them."""
        if wrong is None:
            tried = [sign * place for place in self._open(()) for sign in (1, -1)]
        else:
            tried = [self._literal(*item) for item in wrong.items()]
        reach = {literal: len(self._closure([literal]) or ()) for literal in tried}
        tried = sorted(reach, key=reach.__getitem__, reverse=True)
        splits = compared = 0
        while not compared:
            for literal in tried:
                if self._refute([literal], splits):
                    yield len(self._lemmas) - 1
                    self._first = len(self._lemmas)
                    compared += not compared
                compared += bool(compared)
                if compared > _MOST_COMPARED:
                    return
            tried, splits = tried[:_MOST_SPLIT], splits + 1

    @property
    def _is_done(self) -> bool:
        """Whether the last lemma refutes a value."""
        return len(self._lemmas) > self._first and len(self._lemmas[-1]) == 1

    def _open(self, values: Iterable[int]) -> list[int]:
        """The cells without a value, counted from 1, besides some values."""
        known = {abs(literal) for literal in (*self._known, *values)}
        return [place for place in range(1, len(self._board.cells) + 1) if place not in known]

    def _closure(self, literals: list[int]) -> list[int] | None:
        """The values that follow from some by propagation; None if they break a rule."""
        self._work.spend()
        self._meter.check_clock()
        found = self._solver.propagate(literals)
        if found is None:
            return None
        size = len(self._board.cells)
        values = [literal for literal in found if -size <= literal <= size]
        return values if self._are_distinct(values) else None

    def _are_distinct(self, values: list[int]) -> bool:
        """Whether the lines that some values fill differ from all full lines."""
        if not self._is_distinct:
            return True
        left = dict[int, int]()
        for literal in values:
            row, column = divmod(abs(literal) - 1, self._board.width)
            for line in (row, self._board.height + column):
                left[line] = left.get(line, self._left[line]) - 1
        filled = [line for line, number in left.items() if number == 0]
        if not filled:
            return True
        ones = self._known.union(values)
        new = {self._line_key(line, ones) for line in filled}
        return len(new) == len(filled) and not new & self._full

    def _line_key(self, line: int, ones: set[int]) -> tuple[bool, ...]:
        """Whether a line is a row, and which of its cells are 1."""
        return line < self._board.height, *(place in ones for place in self._lines[line])

    def _refute(self, assumed: list[int], splits: int) -> bool:
        """Learn lemmas until propagation refutes some values; whether that is achieved.

        `splits` is how many further values may be tried at a time, besides one.
        """
        while (closure := self._closure(assumed)) is not None:
            reach = self._tried_each(assumed, closure)
            if self._is_done:
                return True
            if reach and not (splits and self._split(assumed, reach, splits - 1)):
                return False
        if not self._is_done:
            self._learn(assumed)
        return True

    def _tried_each(self, assumed: list[int], closure: list[int]) -> dict[int, int]:
        """How many values follow from each further one; nothing if lemmas are learned."""
        reach: dict[int, int] = {}
        before = len(self._lemmas)
        for place in self._open(closure):
            for literal in (place, -place):
                after = self._closure([*assumed, literal])
                if after is not None:
                    reach[literal] = len(after)
                    continue
                self._learn([*assumed, literal])
                if self._is_done or self._closure(assumed) is None:
                    return {}
                break
        return reach if len(self._lemmas) == before else {}

    def _split(self, assumed: list[int], reach: dict[int, int], splits: int) -> bool:
        """Refute one of the two values of a cell from which much follows."""
        best = max(reach, key=lambda literal: (reach[literal] * reach[-literal], reach[literal]))
        return any(self._refute([*assumed, literal], splits) for literal in (best, -best))

    def _learn(self, literals: list[int]) -> None:
        """Add a lemma: those of some values that are needed to break a rule by propagation."""
        for literal in literals:
            rest = [other for other in literals if other != literal]
            if rest and self._closure(rest) is None:
                literals = rest
        self._lemmas.append(tuple(literals))
        if len(literals) > 1:  # a value is known only if its step is chosen
            self._solver.add([-literal for literal in literals])

    # The steps

    def _shown(self, position: Position, number: int, shown: dict[int, Step]) -> list[Step]:
        """The step for a lemma, after those for the lemmas that it uses and that are not shown.
        `shown` are the lemmas that are shown in this step so far; more are added.
        """
        self._work.spend(_CHAIN)
        values = self._values(self._lemmas[number])
        ending = shortest_ending(
            position, values, self._meter.check_clock, list(self._uses(number)), _MOST_SEARCHES
        )
        if ending is None:
            raise ValueError(f"{values} breaks no rule")
        steps, broken = ending
        before: list[Step] = []
        uses: tuple[Step | BrokenRule, ...] = (*steps, broken)
        for use in uses:
            if use.lemma is not None and use.lemma not in self._steps | shown:
                before += self._shown(position, use.lemma, shown)
        known = self._steps | shown
        steps = tuple(_with_known(step, known) for step in steps)
        if broken.lemma is not None:
            broken = self._fault(broken.lemma, known)
        # The techniques may need fewer values than propagation did; the first is needed.
        used = {*broken.cells, *(cell for step in steps for cell in step.reason)}
        (cell, value), *others = sorted(values.items(), key=lambda item: item[0] not in used)
        chain = Chain(cell, value, steps, broken, others=dict(others))
        if others:
            phrase = Phrase(("lemma.stated",), {"assigned": Assigned(tuple(values.items()))})
            name, level, reason = LEMMA.name, LEMMA.level, chain.reason
            step = Step(name, level, {}, "", reason, phrase, chain=chain, lemma=number)
            shown[number] = step
        else:
            step = refutation(CONTRADICTION, chain, instead(cell, value))
            step = replace(step, technique=LEMMA.name, level=LEMMA.level)
        return [*before, step]

    def _fault(self, number: int, known: Mapping[int, Step]) -> BrokenRule:
        """That a lemma does not hold, with the cells that it follows from."""
        cells = tuple(self._values(self._lemmas[number]))
        all_cells = (*cells, *(cell for cell in known[number].reason if cell not in cells))
        return BrokenRule("lemma", (), all_cells, most=len(cells), lemma=number)

    def _uses(self, number: int) -> Iterator[Given]:
        """What follows from all but one of the values of each earlier lemma."""
        for lemma, literals in enumerate(self._lemmas[:number]):
            if len(literals) > 1:
                values = self._values(literals)
                for cell, value in values.items():
                    others = {other: values[other] for other in values if other != cell}
                    assigned = Assigned(tuple(others.items()))
                    phrase = Phrase((BY_LEMMA.name,), {"assigned": assigned})
                    filled, reason = {cell: opposite(value)}, tuple(others)
                    name, level = BY_LEMMA.name, BY_LEMMA.level
                    yield others, Step(name, level, filled, "", reason, phrase, lemma=lemma)


def _with_known(step: Step, lemmas: Mapping[int, Step]) -> Step:
    """A use of a lemma with the cells that the lemma follows from; other steps as they are."""
    if step.lemma is None:
        return step
    more = (cell for cell in lemmas[step.lemma].reason if cell not in step.reason)
    return replace(step, reason=(*step.reason, *more))


def _lines(steps: Iterable[Step]) -> int:
    return sum(step.size for step in steps)


def refute(puzzle: Puzzle, meter: Meter) -> tuple[tuple[Step, ...], BrokenRule | None]:
    """Find the steps from the clues of a puzzle to a broken rule, those that it needs.

    If the search for lemmas reaches its limit, all steps up to there, and None.

    Raises:
        BudgetExceeded: The time ran out.
    """
    start = position = Position(puzzle, puzzle.board)
    lemmas, given, steps = Lemmas(puzzle, meter), list[Given](), list[Step]()
    broken = next(position.faults(), position.unequal_totals())
    while not broken and (waiting := _easiest(position, lemmas, meter.check_clock)):
        for step in waiting:
            board = position.board
            if step.technique not in _ALWAYS_FOUND:
                given.append(({cell: board[cell] for cell in step.reason}, step))
            step = step.only({cell for cell in step.values if board[cell] == OPEN})
            if step.values:
                steps.append(step)
                position = position.with_values(step.values)
                faults = position.faults(position.numbers_of(step.values))
                broken = next(faults, None) or lemmas.wrong(position) or position.unequal_totals()
            if broken:
                break
    if broken is None or not steps:
        return tuple(lemmas.placed(steps)), broken
    found = needed_steps(steps, broken), broken
    most = _MOST_SEARCHES_OF_PATHS
    shorter = shortest_ending(start, {}, meter.check_clock, given, most) or found
    return lemmas.placed_ending(*min(found, shorter, key=length_of))


def _easiest(position: Position, lemmas: Lemmas, check_clock: Clock) -> list[Step]:
    """The steps of the easiest technique that finds any; only one of a trial."""
    if steps := list(lemmas.uses(position)):
        return steps
    for technique in DIRECT:
        check_clock()
        if steps := list(technique.steps(position, check_clock)):
            return steps
    shortest = contradiction.shortest(position, check_clock, _MOST_REFUTED, _MOST_SEARCHES)
    return [shortest] if shortest else lemmas.steps(position)[-1:]
