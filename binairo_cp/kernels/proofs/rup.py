"""A forward checker of DRAT proofs: every line is checked, from first to last.

A clause follows if setting all its literals false leads to a conflict by unit propagation (reverse
unit propagation, RUP). Propagation uses two watched literals per clause. A clause that is not RUP
may still be added if all its resolvents on its first literal are RUP (RAT). The proof is valid if
unit propagation alone finds a conflict.

As in DRAT-trim, a clause that is the reason of a top-level assignment is never deleted, and the
deletion of an unknown clause is ignored (Wetzler, Heule and Hunt, "DRAT-trim", 2014). Both only
keep clauses that follow, so the checker stays sound.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import nones, zeros
from binairo_cp.kernels.words import ALL, Index, Word

INTERRUPTED, REFUTED, ENDED, FAILED, NO_ROOM = 0, 1, 2, 3, 4
"""How a call of `check` ends."""

_DELETION, _DEAD = 1, 2
_NO_LITERAL = -2
_ODD = 0x9E3779B97F4A7C15


@cython.final
@cython.cclass
class Checker:
    """A check of one proof. It has copies of the clauses, since it relies on what they contain.

    Clause k, of the formula or of a line of the proof, is ``literals[starts[k] : starts[k + 1]]``;
    its first two literals are watched. The clauses that watch a literal are a linked list: node 2 k
    stands for clause k by its first literal, and node 2 k + 1 by its second.
    """

    given: Index  # the number of clauses of the formula, which are not checked
    lines: Index  # the number of clauses of the formula and lines of the proof
    # The literals of all clauses of the formula, and then of all lines of the proof.
    literals: cython.int[::1]
    starts: cython.longlong[::1]  # where each clause begins, and the end of the last one
    # 0 for a clause, 1 for a line that deletes one, 2 for a deleted clause.
    deletes: cython.uchar[::1]
    heads: cython.longlong[::1]  # the first node of each literal's list, or -1
    links: cython.longlong[::1]  # the node after each node, or -1
    buckets: cython.longlong[::1]  # the first clause of each hash bucket, or -1
    chain: cython.longlong[::1]  # the clause after each clause in its bucket, or -1
    values: cython.schar[::1]  # by literal: 1 true, -1 false, 0 open
    reasons: cython.longlong[::1]  # by variable: the clause that set it, or -1 if it was assumed
    trail: cython.int[::1]  # the true literals, in the order in which they were set
    marks: cython.longlong[::1]  # by literal or variable: the number with which it was last marked
    hints: cython.int[::1]  # a buffer for the hints of each line; if it is empty, none are written
    # Where the hints of each line end, complemented for a line that is RAT; initially 0.
    ends: cython.longlong[::1]
    position: Index  # the next line
    trail_size: Index  # the number of true literals
    propagated: Index  # how many of them are propagated
    conflict: Index  # the conflicting clause at the top level, or -1
    steps: Index  # the steps taken
    hints_size: Index  # the number of hints written
    salt: Word  # the salt of the hash
    is_set_up: cython.bint  # whether the constructor was called

    def __init__(
        self,
        given: Index,
        literals: cython.int[::1],
        starts: cython.longlong[::1],
        deletes: cython.uchar[::1],
        ends: cython.longlong[::1],
        salt: Word,
    ) -> None:
        """Take a formula and a proof.

        Args:
            given: the number of clauses of the formula.
            literals: as in the attributes; those of variable v are ``2 v`` and ``2 v + 1``.
            starts: as in the attributes: from 0 to the number of literals, never decreasing.
            deletes: as in the attributes.
            ends: as in the attributes, all 0.
            salt: a random number below 2^64.

        Raises:
            ValueError: the sizes do not belong together, `starts` is out of order, or a literal is
                negative.
        """
        self.given, self.lines = given, len(deletes)
        if len(starts) != self.lines + 1 or len(ends) != self.lines or given > self.lines:
            raise ValueError("the clauses, their starts and their ends differ in number")
        if starts[0] != 0 or starts[self.lines] != len(literals):
            raise ValueError("the clauses are not all of the literals")
        count: Index = len(literals)
        self.literals, self.starts = zeros("i", count), zeros("q", self.lines + 1)
        self.deletes, self.ends = zeros("B", self.lines), ends
        for k in range(self.lines):
            if starts[k] > starts[k + 1]:
                raise ValueError(f"clause {k} ends before it begins")
            self.starts[k + 1], self.deletes[k] = starts[k + 1], deletes[k]
        size: Index = 2
        for place in range(count):
            literal: Index = literals[place]
            if literal < 0:
                raise ValueError(f"literal {literal} is out of range")
            self.literals[place] = literal
            size = max(size, literal + 2 - literal % 2)
        self.heads, self.marks, self.reasons = nones(size), nones(size), nones(size // 2)
        self.values, self.trail = zeros("b", size), zeros("i", size // 2)
        self.links, self.buckets = nones(2 * self.lines), nones(self.lines)
        self.chain, self.hints = nones(self.lines), zeros("i", 1)[:0]
        self.position = self.trail_size = self.propagated = 0
        self.steps = self.hints_size = 0
        self.conflict = -1
        self.salt = salt
        self.is_set_up = True

    def use_hints(self, hints: cython.int[::1]) -> None:
        """Write hints to an array from now on; it has those written so far."""
        if len(hints) < self.hints_size:
            raise ValueError("the hints so far are missing")
        self.hints = hints

    def progress(self) -> tuple[int, int]:
        """The next line, and the number of hints written."""
        return self.position, self.hints_size


def check(checker: Checker, steps: Index) -> int:
    """Check lines for a number of steps; the next call continues from there.

    Raises:
        ValueError: the checker was not constructed.
    """
    if not checker.is_set_up:
        raise ValueError("expected a checker with memory")
    with cython.nogil:
        status = _check(checker, checker.steps + steps)
    return status


@cython.nogil_noexcept
def _check(checker: Checker, limit: Index) -> Index:
    while checker.conflict < 0 and checker.position < checker.lines:
        line = checker.position
        if checker.steps > limit:
            return INTERRUPTED
        # The hints of a line and those of the contradiction may not fit.
        room: Index = checker.hints.shape[0]
        if room > 0 and checker.hints_size + 2 * checker.trail.shape[0] + 2 > room:
            return NO_ROOM
        checker.steps += 1
        if checker.deletes[line] == _DELETION:
            _delete(checker, line)
        else:
            follows: cython.bint = line < checker.given or _follows(checker, line, limit)
            if not follows and checker.steps > limit:
                # The line was interrupted; the next call starts it again with more steps.
                checker.ends[line] = 0
                return INTERRUPTED
            if not follows:
                return FAILED
            _add(checker, line)
        if checker.ends[line]:
            checker.ends[line] = -1 - checker.hints_size
        else:
            checker.ends[line] = checker.hints_size
        checker.position += 1
    if checker.conflict < 0:
        return ENDED
    _explain(checker, checker.conflict, 3 * (checker.lines + 1))
    return REFUTED


@cython.nogil_noexcept
def _follows(checker: Checker, line: Index, limit: Index) -> cython.bint:
    """Whether a line is RUP or RAT; writes the hints of a RUP line. False beyond the limit, too."""
    mark = checker.trail_size
    is_empty: cython.bint = checker.starts[line] == checker.starts[line + 1]
    pivot: Index = _NO_LITERAL if is_empty else checker.literals[checker.starts[line]]
    true = _assume(checker, line, _NO_LITERAL)
    conflict: Index = checker.reasons[true >> 1] if true >= 0 else _propagate(checker)
    follows: cython.bint = true >= 0 or conflict >= 0
    if conflict >= 0:
        _explain(checker, conflict, checker.lines + 1 + line)
    if not follows and not is_empty:
        follows = _is_rat(checker, line, pivot, limit)
        checker.ends[line] = 1
    _undo(checker, mark)
    return follows


@cython.nogil_noexcept
def _is_rat(checker: Checker, line: Index, pivot: Index, limit: Index) -> cython.bint:
    """Whether all resolvents on the pivot are RUP, after propagating the negation of the line."""
    mark = checker.trail_size
    for clause in range(line):
        checker.steps += 1
        if checker.steps > limit:
            return False
        if checker.deletes[clause] != 0 or not _has(checker, clause, pivot ^ 1):
            continue
        follows: cython.bint = _assume(checker, clause, pivot ^ 1) >= 0 or _propagate(checker) >= 0
        _undo(checker, mark)
        if not follows:
            return False
    return True


@cython.nogil_noexcept
def _has(checker: Checker, clause: Index, literal: Index) -> cython.bint:
    checker.steps += checker.starts[clause + 1] - checker.starts[clause]
    for place in range(checker.starts[clause], checker.starts[clause + 1]):
        if checker.literals[place] == literal:
            return True
    return False


@cython.nogil_noexcept
def _assume(checker: Checker, clause: Index, but: Index) -> Index:
    """Set all literals of a clause except one false; return one that is already true, or -1."""
    checker.steps += checker.starts[clause + 1] - checker.starts[clause]
    for place in range(checker.starts[clause], checker.starts[clause + 1]):
        literal: Index = checker.literals[place]
        if literal == but or checker.values[literal] == -1:
            continue
        if checker.values[literal] == 1:
            return literal
        _set(checker, literal ^ 1, -1)
    return -1


@cython.nogil_noexcept
def _set(checker: Checker, literal: Index, reason: Index) -> None:
    checker.values[literal] = 1
    checker.values[literal ^ 1] = -1
    checker.reasons[literal >> 1] = reason
    checker.trail[checker.trail_size] = literal
    checker.trail_size += 1


@cython.nogil_noexcept
def _undo(checker: Checker, mark: Index) -> None:
    """Undo the assignments beyond a certain length of the trail."""
    while checker.trail_size > mark:
        checker.trail_size -= 1
        literal = checker.trail[checker.trail_size]
        checker.values[literal] = 0
        checker.values[literal ^ 1] = 0
    checker.propagated = mark


@cython.nogil_noexcept
def _propagate(checker: Checker) -> Index:
    """Propagate unit clauses; return a conflicting clause, or -1."""
    while checker.propagated < checker.trail_size:
        false: Index = checker.trail[checker.propagated] ^ 1
        checker.propagated += 1
        before: Index = -1
        node: Index = checker.heads[false]
        while node >= 0:
            checker.steps += 1
            clause, side = node >> 1, node & 1
            after: Index = checker.links[node]
            other: Index = checker.literals[checker.starts[clause] + (1 - side)]
            gone: cython.bint = checker.deletes[clause] == _DEAD
            if not gone and checker.values[other] != 1:
                gone = _watches_another(checker, node, false)
                if not gone:
                    if checker.values[other] == -1:
                        return clause
                    _set(checker, other, clause)
            if not gone:
                before = node
            elif before < 0:
                checker.heads[false] = after
            else:
                checker.links[before] = after
            node = after
    return -1


@cython.nogil_noexcept
def _watches_another(checker: Checker, node: Index, false: Index) -> cython.bint:
    """Let a node watch a literal that is not false, if there is one."""
    clause = node >> 1
    for place in range(checker.starts[clause] + 2, checker.starts[clause + 1]):
        literal = checker.literals[place]
        checker.steps += 1
        if checker.values[literal] != -1:
            checker.literals[place] = false
            checker.literals[checker.starts[clause] + (node & 1)] = literal
            checker.links[node] = checker.heads[literal]
            checker.heads[literal] = node
            return True
    return False


@cython.nogil_noexcept
def _add(checker: Checker, clause: Index) -> None:
    """Add a clause to the watch lists, and propagate it at the top level if it is unit."""
    begin, end = checker.starts[clause], checker.starts[clause + 1]
    bucket = _bucket(checker, clause)
    checker.chain[clause] = checker.buckets[bucket]
    checker.buckets[bucket] = clause
    watched = begin
    for place in range(begin, end):
        literal = checker.literals[place]
        if checker.values[literal] != -1 and watched < begin + 2:
            checker.literals[place] = checker.literals[watched]
            checker.literals[watched] = literal
            watched += 1
    for side in range(2 if end - begin >= 2 else 0):
        literal = checker.literals[begin + side]
        checker.links[2 * clause + side] = checker.heads[literal]
        checker.heads[literal] = 2 * clause + side
    if watched == begin:
        checker.conflict = clause
    elif watched == begin + 1 and checker.values[checker.literals[begin]] == 0:
        _set(checker, checker.literals[begin], clause)
        checker.conflict = _propagate(checker)


@cython.nogil_noexcept
def _bucket(checker: Checker, clause: Index) -> Index:
    """The hash bucket of a clause, for any order of its literals.

    The random salt prevents proofs that are built to collide.
    """
    total: Word = 0
    buckets: Word = checker.buckets.shape[0]
    for place in range(checker.starts[clause], checker.starts[clause + 1]):
        literal: Word = checker.literals[place]
        mixed = (((literal + 1) ^ checker.salt) * _ODD) & ALL
        mixed ^= mixed >> 29
        total = (total + mixed * mixed) & ALL
    return total % buckets


@cython.nogil_noexcept
def _delete(checker: Checker, line: Index) -> None:
    """Delete a clause equal to this line, if there is one and it is not a reason."""
    begin, end = checker.starts[line], checker.starts[line + 1]
    for place in range(begin, end):
        checker.marks[checker.literals[place]] = line
    bucket = _bucket(checker, line)
    before: Index = -1
    clause: Index = checker.buckets[bucket]
    while clause >= 0 and not _is_marked(checker, clause, end - begin, line):
        checker.steps += 1
        before, clause = clause, checker.chain[clause]
    if clause < 0:
        return
    for place in range(begin, end):
        literal = checker.literals[place]
        if checker.values[literal] == 1 and checker.reasons[literal >> 1] == clause:
            return
    checker.deletes[clause] = _DEAD
    if before < 0:
        checker.buckets[bucket] = checker.chain[clause]
    else:
        checker.chain[before] = checker.chain[clause]


@cython.nogil_noexcept
def _is_marked(checker: Checker, clause: Index, size: Index, mark: Index) -> cython.bint:
    if checker.starts[clause + 1] - checker.starts[clause] != size:
        return False
    for place in range(checker.starts[clause], checker.starts[clause + 1]):
        if checker.marks[checker.literals[place]] != mark:
            return False
    return True


@cython.nogil_noexcept
def _explain(checker: Checker, conflict: Index, mark: Index) -> None:
    """Write the clauses that led to a conflict, in the order in which they became unit."""
    if not checker.hints.shape[0]:
        return
    end = checker.hints_size
    checker.hints[end] = conflict
    for each in range(checker.starts[conflict], checker.starts[conflict + 1]):
        checker.marks[checker.literals[each] >> 1] = mark
    for place in range(checker.trail_size - 1, -1, -1):
        variable = checker.trail[place] >> 1
        reason = checker.reasons[variable]
        # If a literal of the line was already true, the conflict is the clause that set it.
        if checker.marks[variable] == mark and reason >= 0 and reason != conflict:
            end += 1
            checker.hints[end] = reason
            for each in range(checker.starts[reason], checker.starts[reason + 1]):
                checker.marks[checker.literals[each] >> 1] = mark
    low, high = checker.hints_size, end
    checker.hints_size = end + 1
    while low < high:
        checker.hints[low], checker.hints[high] = checker.hints[high], checker.hints[low]
        low, high = low + 1, high - 1
