"""The checker of DRAT proofs: each line must follow, from the first to the last.

A clause follows if setting all its literals false leads to a contradiction by unit propagation
(reverse unit propagation, RUP), with two watched literals a clause. One that does not may still be
added if that is so for all its resolvents on its first literal (RAT). The proof holds when
propagation alone finds a contradiction.

As in the checkers of the field, a clause that made a variable true or false at the outermost level
is not deleted, and the deletion of a clause that is not there is passed over (Wetzler, Heule and
Hunt, "DRAT-trim", 2014). Both keep clauses that are known to follow, so nothing wrong gets through.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

POSITION, TRAIL, HEAD, CONFLICT, STEPS, HINTS, SALT, STATE_WORDS = 0, 1, 2, 3, 4, 5, 6, 7
"""What the state holds: the next line, how much is on the trail, how much of it is propagated, the
clause that contradicts at the outermost level or -1, the steps taken, the hints written, and what
makes the buckets differ from run to run."""

GOES_ON, REFUTED, ENDED, FAILED, NO_ROOM = 0, 1, 2, 3, 4
"""How a call of `check` ends."""

_DELETION, _DEAD = np.uint8(1), np.uint8(2)
_NO_LITERAL = np.int32(-2)


class Memory(NamedTuple):
    """What the checker knows.

    Clause k, of the formula or of a line of the proof, is ``literals[starts[k] : starts[k + 1]]``;
    its first two literals are watched. The clauses that watch a literal are a linked list: node 2 k
    stands for clause k by its first literal, and node 2 k + 1 by its second.

    Attributes:
        literals: of all clauses of the formula, and then of all lines of the proof.
        starts: where each begins, and the last one ends.
        deletes: 0 a clause, 1 a line that deletes one, 2 a clause that was deleted.
        heads: the first node of each literal's list, or -1.
        links: the node after each node, or -1.
        buckets: the first clause of each bucket, or -1.
        chain: the clause after each clause in its bucket, or -1.
        values: by literal: 1 true, -1 false, 0 open.
        reasons: by variable: the clause that set it, or -1 if it was assumed.
        trail: the literals that are true, in the order in which they were set.
        marks: by literal or variable: the number by which it was last marked.
        hints: room for the clauses by which each line follows; if it is empty, none are written.
        ends: where the hints of each line end, complemented for a line that is RAT; 0 at first.
        state: as `POSITION` and the other names say.
    """

    literals: Any
    starts: Any
    deletes: Any
    heads: Any
    links: Any
    buckets: Any
    chain: Any
    values: Any
    reasons: Any
    trail: Any
    marks: Any
    hints: Any
    ends: Any
    state: Any


def check(m: Memory, formula: int, steps: int) -> int:
    """Check lines until so many steps are taken, and go on where it ended when called again.

    Args:
        m: everything that is known.
        formula: how many clauses are given, and not to be checked.
        steps: after how many it returns.
    """
    limit = m.state[STEPS] + steps
    while m.state[CONFLICT] < 0 and m.state[POSITION] < len(m.starts) - 1:
        line = m.state[POSITION]
        if m.state[STEPS] > limit:
            return GOES_ON
        if len(m.hints) and m.state[HINTS] + 2 * len(m.trail) + 2 > len(m.hints):
            return NO_ROOM
        m.state[STEPS] += 1
        if m.deletes[line] == _DELETION:
            _delete(m, line)
        else:
            follows = line < formula or _follows(m, line, limit)
            if not follows and m.state[STEPS] > limit:
                # It was given up, and is begun anew when there are more steps.
                m.ends[line] = 0
                return GOES_ON
            if not follows:
                return FAILED
            _add(m, line)
        m.ends[line] = ~m.state[HINTS] if m.ends[line] else m.state[HINTS]
        m.state[POSITION] += 1
    if m.state[CONFLICT] < 0:
        return ENDED
    _explain(m, m.state[CONFLICT], 3 * len(m.starts))
    return REFUTED


@njit
def _follows(m: Any, line: Any, limit: Any) -> Any:
    """Whether a line is RUP or RAT; why it is RUP is written down. False, too, beyond the limit."""
    mark = m.state[TRAIL]
    is_empty = m.starts[line] == m.starts[line + 1]
    pivot = _NO_LITERAL if is_empty else m.literals[m.starts[line]]
    true = _assume(m, line, _NO_LITERAL)
    conflict = m.reasons[true >> 1] if true >= 0 else _propagate(m)
    follows = true >= 0 or conflict >= 0
    if conflict >= 0:
        _explain(m, conflict, len(m.starts) + line)
    if not follows and not is_empty:
        follows = _is_rat(m, line, pivot, limit)
        m.ends[line] = 1
    _undo(m, mark)
    return follows


@njit
def _is_rat(m: Any, line: Any, pivot: Any, limit: Any) -> Any:
    """Whether all resolvents on the pivot follow, once the negation of the line is propagated."""
    mark = m.state[TRAIL]
    for clause in range(line):
        m.state[STEPS] += 1
        if m.state[STEPS] > limit:
            return False
        if m.deletes[clause] != 0 or not _has(m, clause, pivot ^ 1):
            continue
        follows = _assume(m, clause, pivot ^ 1) >= 0 or _propagate(m) >= 0
        _undo(m, mark)
        if not follows:
            return False
    return True


@njit
def _has(m: Any, clause: Any, literal: Any) -> Any:
    m.state[STEPS] += m.starts[clause + 1] - m.starts[clause]
    for place in range(m.starts[clause], m.starts[clause + 1]):
        if m.literals[place] == literal:
            return True
    return False


@njit
def _assume(m: Any, clause: Any, but: Any) -> Any:
    """Set the literals of a clause but one false; one that is true already, or -1."""
    m.state[STEPS] += m.starts[clause + 1] - m.starts[clause]
    for place in range(m.starts[clause], m.starts[clause + 1]):
        literal = m.literals[place]
        if literal == but or m.values[literal] == -1:
            continue
        if m.values[literal] == 1:
            return literal
        _set(m, literal ^ 1, np.int64(-1))
    return np.int32(-1)


@njit
def _set(m: Any, literal: Any, reason: Any) -> None:
    m.values[literal] = 1
    m.values[literal ^ 1] = -1
    m.reasons[literal >> 1] = reason
    m.trail[m.state[TRAIL]] = literal
    m.state[TRAIL] += 1


@njit
def _undo(m: Any, mark: Any) -> None:
    """Forget what was set after the trail had a certain length."""
    while m.state[TRAIL] > mark:
        m.state[TRAIL] -= 1
        literal = m.trail[m.state[TRAIL]]
        m.values[literal] = 0
        m.values[literal ^ 1] = 0
    m.state[HEAD] = mark


@njit
def _propagate(m: Any) -> Any:
    """Set what clauses with one open literal force; a clause without any, or -1."""
    while m.state[HEAD] < m.state[TRAIL]:
        false = m.trail[m.state[HEAD]] ^ 1
        m.state[HEAD] += 1
        before, node = np.int64(-1), m.heads[false]
        while node >= 0:
            m.state[STEPS] += 1
            clause, side, after = node >> 1, node & 1, m.links[node]
            other = m.literals[m.starts[clause] + (1 - side)]
            gone = m.deletes[clause] == _DEAD
            if not gone and m.values[other] != 1:
                gone = _watches_another(m, node, false)
                if not gone:
                    if m.values[other] == -1:
                        return clause
                    _set(m, other, clause)
            if not gone:
                before = node
            elif before < 0:
                m.heads[false] = after
            else:
                m.links[before] = after
            node = after
    return np.int64(-1)


@njit
def _watches_another(m: Any, node: Any, false: Any) -> Any:
    """Let a node watch a literal that is not false, if there is one."""
    clause = node >> 1
    for place in range(m.starts[clause] + 2, m.starts[clause + 1]):
        literal = m.literals[place]
        m.state[STEPS] += 1
        if m.values[literal] != -1:
            m.literals[place] = false
            m.literals[m.starts[clause] + (node & 1)] = literal
            m.links[node] = m.heads[literal]
            m.heads[literal] = node
            return True
    return False


@njit
def _add(m: Any, clause: Any) -> None:
    """Watch a clause, and set what follows from it at the outermost level."""
    begin, end = m.starts[clause], m.starts[clause + 1]
    bucket = _bucket(m, clause)
    m.chain[clause] = m.buckets[bucket]
    m.buckets[bucket] = clause
    watched = begin
    for place in range(begin, end):
        literal = m.literals[place]
        if m.values[literal] != -1 and watched < begin + 2:
            m.literals[place] = m.literals[watched]
            m.literals[watched] = literal
            watched += 1
    for side in range(2 if end - begin >= 2 else 0):
        literal = m.literals[begin + side]
        m.links[2 * clause + side] = m.heads[literal]
        m.heads[literal] = 2 * clause + side
    if watched == begin:
        m.state[CONFLICT] = clause
    elif watched == begin + 1 and m.values[m.literals[begin]] == 0:
        _set(m, m.literals[begin], clause)
        m.state[CONFLICT] = _propagate(m)


@njit
def _bucket(m: Any, clause: Any) -> Any:
    """The bucket of a clause, whatever the order of its literals; nobody can foretell it."""
    total = np.uint64(0)
    salt = np.uint64(m.state[SALT])
    for place in range(m.starts[clause], m.starts[clause + 1]):
        mixed = (np.uint64(m.literals[place] + 1) ^ salt) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        total += mixed * mixed
    return np.int64(total % np.uint64(len(m.buckets)))


@njit
def _delete(m: Any, line: Any) -> None:
    """Delete a clause like this line, if there is one and it is no reason."""
    begin, end = m.starts[line], m.starts[line + 1]
    for place in range(begin, end):
        m.marks[m.literals[place]] = line
    bucket = _bucket(m, line)
    before, clause = np.int64(-1), m.buckets[bucket]
    while clause >= 0 and not _is_marked(m, clause, end - begin, line):
        m.state[STEPS] += 1
        before, clause = clause, m.chain[clause]
    if clause < 0:
        return
    for place in range(begin, end):
        literal = m.literals[place]
        if m.values[literal] == 1 and m.reasons[literal >> 1] == clause:
            return
    m.deletes[clause] = _DEAD
    if before < 0:
        m.buckets[bucket] = m.chain[clause]
    else:
        m.chain[before] = m.chain[clause]


@njit
def _is_marked(m: Any, clause: Any, size: Any, mark: Any) -> Any:
    if m.starts[clause + 1] - m.starts[clause] != size:
        return False
    for place in range(m.starts[clause], m.starts[clause + 1]):
        if m.marks[m.literals[place]] != mark:
            return False
    return True


@njit
def _explain(m: Any, conflict: Any, mark: Any) -> None:
    """Write the clauses that led to a conflict, in the order in which they became units."""
    if not len(m.hints):
        return
    end = m.state[HINTS]
    m.hints[end] = conflict
    for each in range(m.starts[conflict], m.starts[conflict + 1]):
        m.marks[m.literals[each] >> 1] = mark
    for place in range(m.state[TRAIL] - 1, -1, -1):
        variable = m.trail[place] >> 1
        reason = m.reasons[variable]
        # A literal of a line that is true already conflicts with the very clause that set it.
        if m.marks[variable] == mark and reason >= 0 and reason != conflict:
            end += 1
            m.hints[end] = reason
            for each in range(m.starts[reason], m.starts[reason + 1]):
                m.marks[m.literals[each] >> 1] = mark
    low, high = m.state[HINTS], end
    m.state[HINTS] = end + 1
    while low < high:
        m.hints[low], m.hints[high] = m.hints[high], m.hints[low]
        low, high = low + 1, high - 1
