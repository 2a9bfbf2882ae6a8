"""A forward checker of DRAT proofs, compiled: every line is checked, from first to last.

A clause follows if setting all its literals false leads to a conflict by unit propagation (reverse
unit propagation, RUP). Propagation uses two watched literals per clause. A clause that is not RUP
may still be added if all its resolvents on its first literal are RUP (RAT). The proof is valid if
unit propagation alone finds a conflict.

As in DRAT-trim, a clause that is the reason of a top-level assignment is never deleted, and the
deletion of an unknown clause is ignored (Wetzler, Heule and Hunt, "DRAT-trim", 2014). Both only
keep clauses that follow, so the checker stays sound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

POSITION, TRAIL, HEAD, CONFLICT, STEPS, HINTS, SALT, STATE_WORDS = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in the state: the next line, the length of the trail, the propagated part of the trail,
the conflicting clause at the top level or -1, the steps taken, the number of hints written, and the
salt of the hash."""

INTERRUPTED, REFUTED, ENDED, FAILED, NO_ROOM = 0, 1, 2, 3, 4
"""How a call of `check` ends."""

_DELETION, _DEAD = np.uint8(1), np.uint8(2)
_NO_LITERAL = np.int32(-2)


class Memory(NamedTuple):
    """The memory of the checker.

    Clause k, of the formula or of a line of the proof, is ``literals[starts[k] : starts[k + 1]]``;
    its first two literals are watched. The clauses that watch a literal are a linked list: node 2 k
    stands for clause k by its first literal, and node 2 k + 1 by its second.

    Attributes:
        literals: The literals of all clauses of the formula, and then of all lines of the proof.
        starts: Where each clause begins, and the end of the last one.
        deletes: 0 for a clause, 1 for a line that deletes one, 2 for a deleted clause.
        heads: The first node of each literal's list, or -1.
        links: The node after each node, or -1.
        buckets: The first clause of each hash bucket, or -1.
        chain: The clause after each clause in its bucket, or -1.
        values: By literal: 1 true, -1 false, 0 open.
        reasons: By variable: the clause that set it, or -1 if it was assumed.
        trail: The true literals, in the order in which they were set.
        marks: By literal or variable: the number with which it was last marked.
        hints: A buffer for the hints of each line; if it is empty, none are written.
        ends: Where the hints of each line end, complemented for a line that is RAT; initially 0.
        state: See `POSITION` and the other names.
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
    """Check lines for a number of steps; the next call continues from there.

    Args:
        m: The memory.
        formula: The number of clauses of the formula, which are not checked.
        steps: The number of steps after which to return.
    """
    limit = m.state[STEPS] + steps
    while m.state[CONFLICT] < 0 and m.state[POSITION] < len(m.starts) - 1:
        line = m.state[POSITION]
        if m.state[STEPS] > limit:
            return INTERRUPTED
        if len(m.hints) and m.state[HINTS] + 2 * len(m.trail) + 2 > len(m.hints):
            return NO_ROOM
        m.state[STEPS] += 1
        if m.deletes[line] == _DELETION:
            _delete(m, line)
        else:
            follows = line < formula or _follows(m, line, limit)
            if not follows and m.state[STEPS] > limit:
                # The line was interrupted; the next call starts it again with more steps.
                m.ends[line] = 0
                return INTERRUPTED
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
    """Whether a line is RUP or RAT; writes the hints of a RUP line. False beyond the limit, too."""
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
    """Whether all resolvents on the pivot are RUP, after propagating the negation of the line."""
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
    """Set all literals of a clause except one false; return one that is already true, or -1."""
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
    """Undo the assignments beyond a certain length of the trail."""
    while m.state[TRAIL] > mark:
        m.state[TRAIL] -= 1
        literal = m.trail[m.state[TRAIL]]
        m.values[literal] = 0
        m.values[literal ^ 1] = 0
    m.state[HEAD] = mark


@njit
def _propagate(m: Any) -> Any:
    """Propagate unit clauses; return a conflicting clause, or -1."""
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
    """Add a clause to the watch lists, and propagate it at the top level if it is unit."""
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
    """The hash bucket of a clause, for any order of its literals.

    The random salt prevents proofs that are built to collide.
    """
    total = np.uint64(0)
    salt = np.uint64(m.state[SALT])
    for place in range(m.starts[clause], m.starts[clause + 1]):
        mixed = (np.uint64(m.literals[place] + 1) ^ salt) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        total += mixed * mixed
    return np.int64(total % np.uint64(len(m.buckets)))


@njit
def _delete(m: Any, line: Any) -> None:
    """Delete a clause equal to this line, if there is one and it is not a reason."""
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
    """Write the clauses that led to a conflict, in the order in which they became unit."""
    if not len(m.hints):
        return
    end = m.state[HINTS]
    m.hints[end] = conflict
    for each in range(m.starts[conflict], m.starts[conflict + 1]):
        m.marks[m.literals[each] >> 1] = mark
    for place in range(m.state[TRAIL] - 1, -1, -1):
        variable = m.trail[place] >> 1
        reason = m.reasons[variable]
        # If a literal of the line was already true, the conflict is the clause that set it.
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
