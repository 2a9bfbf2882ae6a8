"""Begin to grade many puzzles of one shape side by side, by the easiest techniques.

The rounds are those of `deduction.grading`: in each one, each lane fills what the easiest technique
finds that finds anything there. A lane in which none of them does waits for the others.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.results import (
    BROKEN,
    COUNT,
    LAST_ONE,
    LOOKS,
    NARROWEST,
    ONE_OF_EACH,
    OPEN_CELLS,
    PAIR,
    PLACED,
    RESULT_WORDS,
    ROUNDS,
    SANDWICH,
)
from binairo_cp.kernels.lanes.boards import (
    VECTOR,
    LaneBoards,
    Lanes,
    LineRules,
    any_of,
    every,
    get,
    load_lanes,
    none,
    put,
    store_lanes,
)
from binairo_cp.kernels.words import Index, first

_TECHNIQUES = ONE_OF_EACH + 1
"""The number of techniques that lanes have."""

_DIGITS = 11
"""The number of binary digits of a number of cells."""

_TECHNIQUE_DIGITS = 3
_LINE_DIGITS = 6

_FACTS = 4
"""The number of vectors that say of a line which symbols it lacks none and one of."""


@cython.final
@cython.cclass
class LaneGrader(LaneBoards):
    """A group of puzzles of one shape, and the memory to grade them."""

    found: Index  # the first of the vectors for what a technique finds: ones, then zeros
    new: Index  # the first of those for what a round fills
    facts: Index  # the first of those for facts about lines
    pairs: Index  # the first of those for the cells of a line
    line_digits: Index  # the first of those for numbers of cells of a line
    digits: Index  # the first of those for the number of cells that a round fills
    technique: Index  # the first of those for the digits of its technique
    active: Index  # the vector of lanes that go on
    conflict: Index  # that of lanes in which a round finds two values for a cell
    left: Index  # that of lanes in which this round has found nothing yet

    def __init__(self, rows: LineRules, columns: LineRules) -> None:
        lines: Index = rows.length + columns.length
        cells: Index = rows.length * columns.length
        more = _FACTS * lines + max(rows.length, columns.length)
        more += _LINE_DIGITS + _DIGITS + _TECHNIQUE_DIGITS + 3
        LaneBoards.__init__(self, rows, columns, 4 * cells + more)
        self.found, self.new, self.facts = 2 * cells, 4 * cells, 6 * cells
        self.pairs = self.facts + _FACTS * lines
        self.line_digits = self.pairs + max(rows.length, columns.length)
        self.digits = self.line_digits + _LINE_DIGITS
        self.technique = self.digits + _DIGITS
        self.active = self.technique + _TECHNIQUE_DIGITS
        self.conflict = self.active + 1
        self.left = self.conflict + 1


@cython.inline_nogil_noexcept
def _add(data: cython.p_uchar, k: Index, lanes: Lanes) -> None:
    put(data, k, get(data, k) | lanes)


@cython.inline_nogil_noexcept
def _clear(data: cython.p_uchar, begin: Index, number: Index) -> None:
    for k in range(begin, begin + number):
        put(data, k, none())


@cython.inline_nogil_noexcept
def _count(data: cython.p_uchar, digits: Index, before: Index, lanes: Lanes) -> None:
    """Add 1 to the numbers in some lanes; each of them is at most `before`."""
    while True:
        digit: Lanes = get(data, digits)
        put(data, digits, digit ^ lanes)
        if not before:
            break
        lanes = digit & lanes
        before >>= 1
        digits += 1


@cython.nogil_noexcept
def _equal(data: cython.p_uchar, digits: Index, number: Index) -> Lanes:
    """The lanes in which a number of cells of a line is this one, which may be -1."""
    lanes: Lanes = none() if number < 0 else every()
    for k in range(_LINE_DIGITS):
        digit: Lanes = get(data, digits + k)
        lanes &= digit if number >> k & 1 else every() ^ digit
    return lanes


@cython.nogil_noexcept
def _note_facts(
    grader: LaneGrader, facts: Index, begin: Index, step: Index, rules: LineRules
) -> None:
    """Note in which lanes a line lacks no 1, a single 1, no 0, and a single 0."""
    data, digits = grader.data, grader.line_digits
    for symbol in range(2):
        most = rules.max_zeros if symbol else rules.max_ones
        _clear(data, digits, _LINE_DIGITS)
        for k in range(rules.length):
            _count(data, digits, k, get(data, symbol * grader.cells + begin + k * step))
        put(data, facts + 2 * symbol, _equal(data, digits, most))
        put(data, facts + 2 * symbol + 1, _equal(data, digits, most - 1))


@cython.nogil_noexcept
def _find(
    grader: LaneGrader, technique: Index, facts: Index, begin: Index, step: Index, rules: LineRules
) -> None:
    """Note what a technique finds in a line; also in cells that are not open."""
    data, cells, length = grader.data, grader.cells, rules.length
    for symbol in range(2):
        mine: Index = symbol * cells + begin
        other: Index = (1 - symbol) * cells + begin
        target: Index = grader.found + other
        if technique == PAIR:
            for k in range(1, length):
                pair: Lanes = get(data, mine + (k - 1) * step) & get(data, mine + k * step)
                if k > 1:
                    _add(data, target + (k - 2) * step, pair)
                if k + 1 < length:
                    _add(data, target + (k + 1) * step, pair)
        elif technique == SANDWICH:
            for k in range(2, length):
                both: Lanes = get(data, mine + (k - 2) * step) & get(data, mine + k * step)
                _add(data, target + (k - 1) * step, both)
        elif technique == COUNT:
            for k in range(length):
                _add(data, target + k * step, get(data, facts + 2 * symbol))
        elif technique == LAST_ONE:
            _find_last_one(data, mine, target, step, length, get(data, facts + 2 * symbol + 1))
        else:
            most = rules.max_zeros if symbol else rules.max_ones
            _find_one_of_each(grader, mine, other, step, length, most)


@cython.nogil_noexcept
def _find_last_one(
    data: cython.p_uchar, mine: Index, target: Index, step: Index, length: Index, lacking: Lanes
) -> None:
    """Note where the last one of a symbol would leave three others side by side elsewhere."""
    if not any_of(lacking):
        return
    before: Lanes = none()
    after: Lanes = none()
    for k in range(length):
        if k > 2:
            before |= every() ^ (
                get(data, mine + (k - 3) * step)
                | get(data, mine + (k - 2) * step)
                | get(data, mine + (k - 1) * step)
            )
        _add(data, target + k * step, lacking & before)
    for k in range(length - 4, -1, -1):
        after |= every() ^ (
            get(data, mine + (k + 1) * step)
            | get(data, mine + (k + 2) * step)
            | get(data, mine + (k + 3) * step)
        )
        _add(data, target + k * step, lacking & after)


@cython.nogil_noexcept
def _find_one_of_each(
    grader: LaneGrader, mine: Index, other: Index, step: Index, length: Index, most: Index
) -> None:
    """Note the cells besides pairs that take all of a symbol: 1 and 0 are around two open cells."""
    data, digits, pairs = grader.data, grader.line_digits, grader.pairs
    target: Index = grader.found + other
    any_pair: Lanes = none()
    _clear(data, digits, _LINE_DIGITS)
    for k in range(length):
        pair: Lanes = none()
        if 0 < k < length - 2:
            a: Index = (k - 1) * step
            b: Index = (k + 2) * step
            pair = get(data, mine + a) & get(data, other + b)
            pair |= get(data, other + a) & get(data, mine + b)
            pair &= every() ^ (get(data, mine + k * step) | get(data, other + k * step))
            pair &= every() ^ (get(data, mine + (k + 1) * step) | get(data, other + (k + 1) * step))
        put(data, pairs + k, pair)
        any_pair |= pair
        # A cell of the symbol is no pair.
        _count(data, digits, k, pair | get(data, mine + k * step))
    any_pair &= _equal(data, digits, most)
    if not any_of(any_pair):
        return
    for k in range(length):
        in_pair: Lanes = get(data, pairs + k)
        if k:
            in_pair |= get(data, pairs + k - 1)
        _add(data, target + k * step, any_pair & (every() ^ in_pair))


@cython.nogil_noexcept
def _apply(grader: LaneGrader, technique: Index) -> None:
    """Apply a technique, and add what it finds to the round of the lanes that are left."""
    data, cells, height, width = grader.data, grader.cells, grader.height, grader.width
    _clear(data, grader.found, 2 * cells)
    for row in range(height):
        facts: Index = grader.facts + _FACTS * row
        if technique == COUNT:
            _note_facts(grader, facts, row * width, 1, grader.rows)
        _find(grader, technique, facts, row * width, 1, grader.rows)
    for column in range(width):
        facts: Index = grader.facts + _FACTS * (height + column)
        if technique == COUNT:
            _note_facts(grader, facts, column, width, grader.columns)
        _find(grader, technique, facts, column, width, grader.columns)
    any_new: Lanes = none()
    left: Lanes = get(data, grader.left)
    for cell in range(cells):
        open_cells: Lanes = left & (every() ^ (get(data, cell) | get(data, cells + cell)))
        for symbol in range(2):
            k: Index = symbol * cells + cell
            found: Lanes = open_cells & get(data, grader.found + k)
            _add(data, grader.new + k, found)
            any_new |= found
    put(data, grader.left, left & (every() ^ any_new))
    for k in range(_TECHNIQUE_DIGITS):
        if technique >> k & 1:
            _add(data, grader.technique + k, any_new)


@cython.nogil_noexcept
def _fill_new(grader: LaneGrader) -> None:
    """Fill and count the new cells; lanes without some, or with a conflict, do not go on."""
    data, cells = grader.data, grader.cells
    conflict: Lanes = none()
    for cell in range(cells):
        conflict |= get(data, grader.new + cell) & get(data, grader.new + cells + cell)
    _add(data, grader.conflict, conflict)
    active: Lanes = get(data, grader.active) & (every() ^ (conflict | get(data, grader.left)))
    any_open: Lanes = none()
    _clear(data, grader.digits, _DIGITS)
    for cell in range(cells):
        ones: Lanes = active & get(data, grader.new + cell)
        zeros: Lanes = active & get(data, grader.new + cells + cell)
        _add(data, cell, ones)
        _add(data, cells + cell, zeros)
        any_open |= every() ^ (get(data, cell) | get(data, cells + cell))
        _count(data, grader.digits, cell, ones | zeros)
    put(data, grader.left, active)
    put(data, grader.active, active & any_open)


@cython.nogil_noexcept
def _note_round(
    grader: LaneGrader, results: cython.longlong[:, ::1], begin: Index, number: Index
) -> None:
    """Add a round to the results of the puzzles in the lanes of `left`."""
    data = grader.data
    for group in range(VECTOR):
        lanes: Index = data[grader.left * VECTOR + group]
        while lanes:
            lane = first(lanes)
            lanes &= lanes - 1
            puzzle: Index = begin + 8 * group + lane
            if puzzle >= number:
                break
            placed: Index = 0
            for k in range(_DIGITS):
                placed += (data[(grader.digits + k) * VECTOR + group] >> lane & 1) << k
            technique: Index = 0
            for k in range(_TECHNIQUE_DIGITS):
                technique += (data[(grader.technique + k) * VECTOR + group] >> lane & 1) << k
            results[puzzle, ROUNDS] += 1
            results[puzzle, PLACED + technique] += placed
            results[puzzle, LOOKS + technique] += 1
            results[puzzle, OPEN_CELLS] -= placed
            if results[puzzle, OPEN_CELLS] and placed < results[puzzle, NARROWEST]:
                results[puzzle, NARROWEST] = placed


@cython.nogil_noexcept
def _grade(
    grader: LaneGrader, results: cython.longlong[:, ::1], begin: Index, number: Index
) -> None:
    """Grade the puzzles in the lanes, which begin with this one."""
    data, cells = grader.data, grader.cells
    any_open: Lanes = none()
    for cell in range(cells):
        any_open |= every() ^ (get(data, cell) | get(data, cells + cell))
    put(data, grader.active, any_open)
    put(data, grader.conflict, none())
    while any_of(get(data, grader.active)):
        put(data, grader.left, get(data, grader.active))
        _clear(data, grader.new, 2 * cells)
        _clear(data, grader.technique, _TECHNIQUE_DIGITS)
        for technique in range(_TECHNIQUES):
            if any_of(get(data, grader.left)):
                _apply(grader, technique)
        _fill_new(grader)
        _note_round(grader, results, begin, number)
    for k in range(begin, min(begin + 8 * VECTOR, number)):
        lane: Index = k - begin
        results[k, BROKEN] = data[grader.conflict * VECTOR + (lane >> 3)] >> (lane & 7) & 1


def begin_grades(grader: LaneGrader, boards: bytearray, results: cython.longlong[:, ::1]) -> None:
    """Follow the solving paths of n puzzles as far as the easiest techniques go.

    `deduction.grade_all` continues them.

    Args:
        grader: the rules and the memory.
        boards: n * height * width bytes ``0``, ``1`` and ``.``; the clues, and then what is filled.
        results: n x `RESULT_WORDS` numbers, all 0; are filled. Two values for a cell are a broken
            rule; other broken rules are not found.

    Raises:
        ValueError: an argument has another size.
    """
    number: Index = results.shape[0]
    if len(boards) != number * grader.cells or results.shape[1] != RESULT_WORDS:
        raise ValueError("the number of cells or of results is not that of the boards")
    grader.set_places(number)
    codes: cython.p_uchar = boards
    begin: Index = 0
    with cython.nogil:
        for puzzle in range(number):
            results[puzzle, NARROWEST] = grader.cells
            for cell in range(grader.cells):
                results[puzzle, OPEN_CELLS] += codes[puzzle * grader.cells + cell] == 0x2E
        while begin < number:
            load_lanes(grader, codes, begin, number)
            _grade(grader, results, begin, number)
            store_lanes(grader, codes, begin, number)
            begin += 8 * VECTOR
