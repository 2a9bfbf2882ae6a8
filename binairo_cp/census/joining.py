from __future__ import annotations

import numpy as np
from numba import njit

from binairo_cp.backends.bitboard.words import ONE, ZERO, first, size

WORDS = 16


@njit
def _select(
    rows_differ,
    group,
    last,
    lines,
    names,
    groups,
    rows,
    weights,
    marks,
    inner,
    foreign,
    chosen,
    chosen_weights,
):
    """Entries of a group that fit the seam; inner: columns that would be triples if last two rows were equal"""
    found = 0
    others = rows.shape[1]
    for k in range(groups[group], groups[group + 1]):
        weight = 0
        for i in range(others):
            number = names[rows[k, i]]
            if number == foreign and rows_differ:
                weight = 0
                break
            if (lines[last] ^ lines[number]) & inner == inner:
                weight += np.int64(weights[k, i])
        if others == 0:
            weight = 1
        if weight:
            chosen[found] = k
            chosen_weights[found] = weight
            found += 1
    return found


@njit
def _features(rows_differ, k, n, names, rows, marks, found):
    number = 0
    for i in range(rows.shape[1] if rows_differ else 0):
        found[number] = names[rows[k, i]] * WORDS
        number += 1
    for half in range(2):
        rest = marks[k, half]
        while rest:
            found[number] = (n + 64 * half + first(rest)) * WORDS
            number += 1
            rest &= rest - ONE
    return number


@njit
def _meet(
    rows_differ,
    n,
    one_names,
    one_rows,
    one_marks,
    ones,
    one_weights,
    number,
    names,
    rows,
    marks,
    many,
    many_weights,
    length,
    table,
    order,
    at_weight,
    feature,
    feature_lists,
    feature_counts,
):
    # order by weight
    greatest = 0
    for k in range(length):
        greatest = max(greatest, many_weights[k])
    at_weight[: greatest + 2] = 0
    for k in range(length):
        at_weight[many_weights[k] + 1] += 1
    place = 0
    # positions
    words = 0
    for w in range(greatest + 1):
        c = at_weight[w + 1]
        # begin at a word
        at_weight[w] = words * 64
        words += (c + 63) // 64
    # order[pos] = k or -1
    for pos in range(words * 64):
        order[pos] = -1
    for k in range(length):
        w = many_weights[k]
        order[at_weight[w]] = k
        at_weight[w] += 1
    for k in range(number):
        feature_counts[k] = _features(
            rows_differ, ones[k], n, one_names, one_rows, one_marks, feature_lists[k]
        )
    total = 0
    word_weights = np.zeros(WORDS, np.int64)
    valid = np.zeros(WORDS, np.uint64)
    for begin in range(0, words, WORDS):
        end = min(words, begin + WORDS)
        table[:] = ZERO
        valid[:] = ZERO
        word_weights[:] = 0
        for pos in range(begin * 64, end * 64):
            k = order[pos]
            if k < 0:
                continue
            w = (pos >> 6) - begin
            bit = ONE << np.uint64(pos & 63)
            valid[w] |= bit
            word_weights[w] = many_weights[k]
            for f in range(_features(rows_differ, many[k], n, names, rows, marks, feature)):
                table[feature[f] + w] |= bit
        for k in range(number):
            count = 0
            for s in range(0, end - begin, 4):
                a, b, c, d = ZERO, ZERO, ZERO, ZERO
                for f in range(feature_counts[k]):
                    base = feature_lists[k, f] + s
                    a |= table[base]
                    b |= table[base + 1]
                    c |= table[base + 2]
                    d |= table[base + 3]
                count += np.int64(size(valid[s] & ~a)) * word_weights[s]
                count += np.int64(size(valid[s + 1] & ~b)) * word_weights[s + 1]
                count += np.int64(size(valid[s + 2] & ~c)) * word_weights[s + 2]
                count += np.int64(size(valid[s + 3] & ~d)) * word_weights[s + 3]
            total += count * one_weights[k]
    return total


@njit
def join(
    lines,
    full,
    names,
    symmetric,
    rows_differ,
    ugroups,
    urows,
    uweights,
    umarks,
    lgroups,
    lrows,
    lweights,
    lmarks,
):
    n = len(lines)
    same = np.arange(n)
    ulong, llong = 0, 0
    for a in range(n):
        ulong = max(ulong, ugroups[a + 1] - ugroups[a])
        llong = max(llong, lgroups[a + 1] - lgroups[a])
    one = np.empty(ulong, np.int64)
    one_w = np.empty(ulong, np.int64)
    two = np.empty(llong, np.int64)
    two_w = np.empty(llong, np.int64)
    most = max(ulong, llong)
    table = np.empty((n + 128) * WORDS, np.uint64)
    order = np.empty(most * 2 + 64 * 4096, np.int64)
    at_weight = np.empty(70000, np.int64)
    feature = np.empty(urows.shape[1] + 128, np.int64)
    flists = np.empty((most, urows.shape[1] + 70), np.int64)
    fcounts = np.empty(most, np.int64)
    total = 0
    for a in range(n):
        if ugroups[a] == ugroups[a + 1]:
            continue
        for g in range(a if symmetric else 0, n):
            below = names[g]
            if (below == a and rows_differ) or lgroups[g] == lgroups[g + 1]:
                continue
            inner = full & ~(lines[a] ^ lines[below])
            na = _select(
                rows_differ,
                a,
                a,
                lines,
                same,
                ugroups,
                urows,
                uweights,
                umarks,
                inner,
                below,
                one,
                one_w,
            )
            if na == 0:
                continue
            nb = _select(
                rows_differ,
                g,
                below,
                lines,
                names,
                lgroups,
                lrows,
                lweights,
                lmarks,
                inner,
                a,
                two,
                two_w,
            )
            if nb == 0:
                continue
            if na <= nb:
                count = _meet(
                    rows_differ,
                    n,
                    same,
                    urows,
                    umarks,
                    one,
                    one_w,
                    na,
                    names,
                    lrows,
                    lmarks,
                    two,
                    two_w,
                    nb,
                    table,
                    order,
                    at_weight,
                    feature,
                    flists,
                    fcounts,
                )
            else:
                count = _meet(
                    rows_differ,
                    n,
                    names,
                    lrows,
                    lmarks,
                    two,
                    two_w,
                    nb,
                    same,
                    urows,
                    umarks,
                    one,
                    one_w,
                    na,
                    table,
                    order,
                    at_weight,
                    feature,
                    flists,
                    fcounts,
                )
            total += count * (2 if symmetric and g != a else 1)
    return total
