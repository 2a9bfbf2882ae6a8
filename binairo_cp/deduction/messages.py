"""All sentences about steps and mistakes, and the words in them, in English.

Each is a whole sentence, and the `msgid` of its translations in ``locale``. The fields in braces
are described in `wording`. `by` has two forms of a sentence: for one, and for several of what its
first argument names. `say` has one form. Both, and `named`, mark what ``make translations`` finds.
"""

from __future__ import annotations

from typing import NamedTuple


class Message(NamedTuple):
    """A sentence in English.

    Attributes:
        one: The sentence, or its form for one.
        several: Its form for several; None if it has one form.
        counted: The field that has the number.
        context: Distinguishes words that are the same in English.
    """

    one: str
    several: str | None = None
    counted: str = ""
    context: str | None = None


def say(text: str) -> Message:
    """A sentence with one form."""
    return Message(text)


def by(counted: str, one: str, several: str) -> Message:
    """A sentence with a form for one and a form for several of a field."""
    return Message(one, several, counted)


def named(context: str, text: str) -> Message:
    """A word or a list of words."""
    return Message(text, context=context)


TEMPLATES = {
    # Translators: next to a run of equal cells. First for games that allow no two in a row.
    "pair.one": say(
        "{reason} is {symbol.one}. Two {symbol.many} can't be next to each other, {so}."
    ),
    "pair.two": say(
        "{reason} are both {symbol.all}. A third {symbol} would make three in a row, {so}."
    ),
    "pair.more": say(
        "{reason} are all {symbol.all}. One more would make {too_many} in a row, {so}."
    ),
    # Translators: a cell between equal cells.
    "sandwich.two": say("{reason} are both {symbol.all}, so {cells} is {value.one}."),
    "sandwich.more": say(
        "{reason} are all {symbol.all}. One more in {cells} would make {too_many} in a row, so it "
        "is {value.one}."
    ),
    # Translators: a sign between two cells. They are equal with =, different with \u00d7.
    "sign.=": say(
        "{reason} is {value.one}. The sign = makes {cells} the same, so it is {value.one} too."
    ),
    "sign.x": say(
        "{reason} is {symbol.one}. The sign \u00d7 makes {cells} the opposite, so it is "
        "{value.one}."
    ),
    # Translators: a line has all of a symbol.
    "count.none": say("{line.start} can't have any {symbol.many}, {so}."),
    "count.one": say("{line.start} already has its only {symbol}, {so}."),
    "count.two": say("{line.start} already has both of its {symbol.many}, {so}."),
    "count.all": say("{line.start} already has all {most} of its {symbol.many}, {so}."),
    "count.most": say("{line.start} already has {most} {symbol.many} and can't have more, {so}."),
    # Translators: one more of a symbol goes into the line, but not into these cells.
    "last one": by(
        "cells",
        "{line.start} has room for only one more {symbol}. In {cells}, it would leave {too_many} "
        "{value.many} in a row from {first} to {last}, so {cells} is {value.one}.",
        "{line.start} has room for only one more {symbol}. In each of {cells}, it would leave "
        "{too_many} {value.many} in a row from {first} to {last}, so they are {value.all}.",
    ),
    "last one.between": say(
        "{line.start} has room for only one more {symbol}. In each of {cells}, it would leave "
        "{too_many} {value.many} in a row between {first} and {last}, so they are {value.all}."
    ),
    # Translators: two open cells with the sign = between them.
    "equal pair.run": say(
        "{pair} are joined by =. Two more {symbol.many} would make {too_many} in a row with "
        "{reason}, {so}."
    ),
    "equal pair.alone": say(
        "{pair} are joined by =. Two {symbol.many} can't be next to each other, {so}."
    ),
    "equal pair.count": say(
        "{pair} are joined by =, but {line} has room for only one more {symbol}, {so}."
    ),
    # Translators: two neighbours of which one is 0 and one is 1, and why; a sentence follows.
    "one of each.between": by(
        "between",
        "{between} stands between {zero.one} and {one.one}, so it holds one {zero} and one {one}: "
        "two of the same would make three in a row.",
        "{between} each stand between {zero.one} and {one.one}, so each pair holds one {zero} and "
        "one {one}: two of the same would make three in a row.",
    ),
    "one of each.signed": by(
        "signed",
        "The sign \u00d7 gives {signed} one {zero} and one {one}.",
        "The signs \u00d7 give {signed} one {zero} and one {one} each.",
    ),
    "one of each.one": say("That gives {line} its only {symbol}, {so}."),
    "one of each.two": say("That gives {line} both of its {symbol.many}, {so}."),
    "one of each.all": say("That gives {line} all {most} of its {symbol.many}, {so}."),
    "one of each.most": say(
        "That gives {line} {most} {symbol.many}, and it can't have more, {so}."
    ),
    # Translators: signs are as in r1c3 = r1c4; a sentence about the line follows.
    "signs": by(
        "signs", "{line.start} has the sign {signs}.", "{line.start} has the signs {signs}."
    ),
    # Translators: ways are values of the open cells, such as 0011 or 0101.
    "projection.one": say("The open cells of {line} can only be {ways}, {so}."),
    "projection.two": by(
        "cells",
        "The open cells of {line} can only be {ways}. In both, {cells} is {value.one}.",
        "The open cells of {line} can only be {ways}. In both, {cells} are {value.all}.",
    ),
    "projection.some": by(
        "cells",
        "The open cells of {line} can only be {ways}. In all of them, {cells} is {value.one}.",
        "The open cells of {line} can only be {ways}. In all of them, {cells} are {value.all}.",
    ),
    "projection.many": by(
        "cells",
        "{line.start} can be completed in many ways, and in all of them {cells} is {value.one}.",
        "{line.start} can be completed in many ways, and in all of them {cells} are {value.all}.",
    ),
    "projection.one.both": say("The open cells of {line} can only be {ways}."),
    "projection.two.both": say(
        "The open cells of {line} can only be {ways}. Both have {zero.one} in {zeros} and "
        "{one.one} in {ones}."
    ),
    "projection.some.both": say(
        "The open cells of {line} can only be {ways}. All of them have {zero.one} in {zeros} and "
        "{one.one} in {ones}."
    ),
    "projection.many.both": say(
        "{line.start} can be completed in many ways, and all of them have {zero.one} in {zeros} "
        "and {one.one} in {ones}."
    ),
    # Translators: order and other_order are two values, such as 01 and 10.
    "two open": say(
        "{both} can only be {order} or {other_order}. With {order}, {line} would be the same as "
        "{compared}, so they are {other_order}."
    ),
    "distinct lines.some": say(
        "If {cells} were {symbol.one}, {line} could only be {ways}, the same as {compared}. So "
        "{cells} is {value.one}."
    ),
    "distinct lines.many": say(
        "If {cells} were {symbol.one}, {line} would be the same as another full line, however it "
        "is completed. So {cells} is {value.one}."
    ),
    # Translators: what is tried; a sentence that says how it fails follows.
    "sign chain": say("Signs link {all_linked}. Suppose {tried} is {symbol.one}."),
    "contradiction": say("Suppose {tried} is {symbol.one}."),
    "nested contradiction": by(
        "others",
        "Suppose {tried} is {symbol.one}. On the way, another value is tried and fails.",
        "Suppose {tried} is {symbol.one}. On the way, {others} other values are tried and fail.",
    ),
    "count.now": by(
        "number",
        "Then {line} would have one {broken}, but it can't have any, so {tried} is {value.one}.",
        "Then {line} would have {number} {broken.many}, but it can have at most {most}, so {tried} "
        "is {value.one}.",
    ),
    "run.then": say(
        "{then} {line} would have {number} {broken.many} in a row, so {tried} is {value.one}."
    ),
    "count.then": say(
        "{then} {line} would have too many {broken.many}, so {tried} is {value.one}."
    ),
    "sign.then": say(
        "{then} the sign {relation} between {broken_cells} would be wrong, so {tried} is "
        "{value.one}."
    ),
    "identical.then": say("{then} {lines} would be the same, so {tried} is {value.one}."),
    "lemma.then": say("{then} a lemma would not hold, so {tried} is {value.one}."),
    # Translators: a numbered lemma about values such as r1c1=0, what is tried to prove it, and its
    # use. The number is in digits.
    "lemma.stated": say("Lemma {lemma}: {assigned} can't hold together."),
    "lemma.tried": say("Suppose that {assigned}."),
    "by lemma": say("{assigned}, so by lemma {lemma}, {cells} is {value.one}."),
    # Translators: the other cells that signs link to the one that was tried.
    "linked.same": by(
        "linked",
        "By the signs, {linked} is {linked_value.one}.",
        "By the signs, {linked} are {linked_value.all}.",
    ),
    "linked.mixed": say("The signs then give {zero} in {zeros}, and {one} in {ones}."),
    # Translators: the broken rule at the end of a chain of steps.
    "run": say("Now {line} has {number} {broken.many} in a row: {broken_cells}."),
    "count": by(
        "number",
        "Now {line} has one {broken}, but it can't have any.",
        "Now {line} has {number} {broken.many}, but it can have at most {most}.",
    ),
    # Translators: numbers of a symbol on the whole board.
    "totals.rows": say(
        "All rows together need at least {least} {broken.many}, but the columns have room for only "
        "{most}."
    ),
    "totals.columns": say(
        "All columns together need at least {least} {broken.many}, but the rows have room for only "
        "{most}."
    ),
    "sign": say("Now the sign {relation} between {broken_cells} is wrong."),
    "identical": say("Now {lines} are the same."),
    "lemma": say("Now {excluded} have the values that can't hold together by lemma {lemma}."),
    # Translators: smallest explanations, and the rules that they use.
    "smallest": by(
        "reason",
        "{reason} leaves only {value.one} for {cells}, by the rules below.",
        "{reason} leave only {value.one} for {cells}, by the rules below.",
    ),
    "smallest.alone": say("The rules below leave only {value.one} for {cells}."),
    "size": say("Size {size}: {parts}."),
    "size.proved": say("Size {size}: {parts}. No explanation is smaller."),
    "size.found": say("Size {size}: {parts}. There may be a smaller explanation."),
    "size.cells": say("With {known}, the rules below are enough."),
    "rule.run": say("{first} to {last} are not all the same."),
    "rule.count.each": say("{line.start} has one {zero} and one {one}."),
    "rule.count.one": say("{line.start} has {zeros} {zero.many} and one {one}."),
    "rule.count.both": by(
        "zeros",
        "{line.start} has one {zero} and {ones} {one.many}.",
        "{line.start} has {zeros} {zero.many} and {ones} {one.many}.",
    ),
    "rule.count.either": by(
        "more",
        "{line.start} has {ones} or one {one}.",
        "{line.start} has {ones} or {more} {one.many}.",
    ),
    "rule.sign": say("The sign {relation} joins {joined}."),
    "rule.identical": say("{lines.start} are not the same."),
    # Translators: mistakes on the player's board.
    "mistake.clue": say("{mistaken.start} is {found.one}, but the clue there is {clue.one}."),
    "mistake.run": say("{line.start} has {number} {broken.many} in a row: {broken_cells}."),
    "mistake.count": by(
        "number",
        "{line.start} has one {broken}, but it can't have any.",
        "{line.start} has {number} {broken.many}, but it can have at most {most}.",
    ),
    "mistake.sign": say("The sign {relation} between {broken_cells} is wrong."),
    "mistake.identical": say("{lines.start} are the same."),
    "wrong": say("{mistaken.start} is wrong."),
    "wrong.more": by(
        "others",
        "{mistaken.start} is wrong, and so is one other cell.",
        "{mistaken.start} is wrong, and so are {others} other cells.",
    ),
    "no solution": say("This board can't be completed. At least one of the filled cells is wrong."),
    # Translators: the summary of a grade, with numbers in digits.
    "summary.rounds": by("rounds", "{digits} round", "{digits} rounds"),
    "summary.narrowest": say("{digits} at the narrowest"),
    "summary.left": by("left", "{digits} cell left", "{digits} cells left"),
    "summary.score": say("score {digits}"),
    "summary.nothing": say("nothing to do"),
    "summary.chain": say("longest chain {digits}"),
    # Translators: a colon and names of options follow.
    "summary.over": say("more than allowed"),
    # Translators: the summary of a player's moves.
    "summary.filled": say("{filled} of {to_fill} cells filled"),
    "summary.beginner": by(
        "beginner", "a beginner could fill one now", "a beginner could fill {digits} now"
    ),
    # Translators: after steps that end with a broken rule.
    "refuted": say("So there is no solution."),
    # Translators: when there is no step.
    "finished": say("All cells are filled."),
    "no step": say("There is no further logical step."),
    "stopped": say("The search for further steps reached its limit."),
    "solved": say("Solved."),
    "cells left": by(
        "left",
        "No technique finds a next step; one cell is left.",
        "No technique finds a next step; {left} cells are left.",
    ),
}

HIGHLIGHTED = {
    # Translators: the same for players who see the cells highlighted, without coordinates.
    "pair.one": say("Two {symbol.many} can't be next to each other, {so}."),
    "pair.two": say(
        "There are two {symbol.many} next to each other. A third would make three in a row, {so}."
    ),
    "pair.more": say("One more {symbol} would make {too_many} in a row, {so}."),
    "sandwich.two": say("The highlighted cell is between two {symbol.many}, so it is {value.one}."),
    "sandwich.more": say(
        "If the highlighted cell were {symbol.one}, there would be {too_many} in a row, so it is "
        "{value.one}."
    ),
    "sign.=": say(
        "The sign = makes the highlighted cell the same as its neighbour, so it is {value.one}."
    ),
    "sign.x": say(
        "The sign \u00d7 makes the highlighted cell the opposite of its neighbour, so it is "
        "{value.one}."
    ),
    "last one": by(
        "cells",
        "{line.start} has room for only one more {symbol}. In the highlighted cell, it would leave "
        "{too_many} {value.many} in a row, so the cell is {value.one}.",
        "{line.start} has room for only one more {symbol}. In each of the highlighted cells, it "
        "would leave {too_many} {value.many} in a row, so they are {value.all}.",
    ),
    "equal pair.run": by(
        "cells",
        "The sign = joins two open cells. Two more {symbol.many} would make {too_many} in a row, "
        "so the highlighted cell is {value.one}.",
        "The sign = joins the highlighted cells. Two more {symbol.many} would make {too_many} in a "
        "row, so they are {value.all}.",
    ),
    "equal pair.alone": by(
        "cells",
        "The sign = joins two open cells, and two {symbol.many} can't be next to each other. So "
        "the highlighted cell is {value.one}.",
        "The sign = joins the highlighted cells, and two {symbol.many} can't be next to each "
        "other. So they are {value.all}.",
    ),
    "equal pair.count": by(
        "cells",
        "The sign = joins two open cells, but {line} has room for only one more {symbol}, so the "
        "highlighted cell is {value.one}.",
        "The sign = joins the highlighted cells, but {line} has room for only one more {symbol}, "
        "so they are {value.all}.",
    ),
    "one of each.between": by(
        "between",
        "Two open neighbours stand between {zero.one} and {one.one}, so they hold one {zero} and "
        "one {one}: two of the same would make three in a row.",
        "Some pairs of open neighbours each stand between {zero.one} and {one.one}, so each pair "
        "holds one {zero} and one {one}: two of the same would make three in a row.",
    ),
    "one of each.signed": by(
        "signed",
        "The sign \u00d7 gives its two cells one {zero} and one {one}.",
        "Each sign \u00d7 gives its two cells one {zero} and one {one}.",
    ),
    "signs": by("signs", "Mind the sign in {line}.", "Mind the signs in {line}."),
    "projection.two.both": say(
        "The open cells of {line} can only be {ways}. Both agree in the highlighted cells."
    ),
    "projection.some.both": say(
        "The open cells of {line} can only be {ways}. All of them agree in the highlighted cells."
    ),
    "projection.many.both": say(
        "{line.start} can be completed in many ways, and all of them agree in the highlighted "
        "cells."
    ),
    "two open": say(
        "The highlighted cells can only be {order} or {other_order}. With {order}, {line} would be "
        "the same as {compared}, so they are {other_order}."
    ),
    "sign chain": say("Signs link several open cells. Suppose one of them is {symbol.one}."),
    "count.now": by(
        "number",
        "Then {line} would have one {broken}, but it can't have any, so it is {value.one}.",
        "Then {line} would have {number} {broken.many}, but it can have at most {most}, so it is "
        "{value.one}.",
    ),
    "run.then": say("{then} there would be {number} {broken.many} in a row, so it is {value.one}."),
    "count.then": say("{then} {line} would have too many {broken.many}, so it is {value.one}."),
    "sign.then": say("{then} a sign {relation} would be wrong, so it is {value.one}."),
    "identical.then": say("{then} {lines} would be the same, so it is {value.one}."),
    "linked.same": by(
        "linked",
        "By the signs, the other highlighted cell is {linked_value.one}.",
        "By the signs, the other highlighted cells are {linked_value.all}.",
    ),
    "linked.mixed": say("The signs then determine the other highlighted cells."),
    "run": say("Now there are {number} {broken.many} in a row."),
    "sign": say("Now the sign {relation} is wrong."),
    "smallest": say("The rules below leave only {value.one} for the highlighted cell."),
    "rule.run": say("There are {number} neighbours that are not all the same."),
    "rule.sign": say("There is a sign {relation} between two cells."),
    "mistake.run": say("There are {number} {broken.many} in a row."),
    "mistake.sign": say("The sign {relation} between the highlighted cells is wrong."),
}

HIGHLIGHTED["last one.between"] = HIGHLIGHTED["last one"]

WORDS = {
    # Translators: four forms of a symbol, as in: a third sun; it is a sun; they are suns; two suns.
    "digits.0": named("symbol", "0 | 0 | 0 | 0s"),
    "digits.1": named("symbol", "1 | 1 | 1 | 1s"),
    "circles.0": named("symbol", "open circle | an open circle | open circles | open circles"),
    "circles.1": named("symbol", "full circle | a full circle | full circles | full circles"),
    "sunmoon.0": named("symbol", "sun | a sun | suns | suns"),
    "sunmoon.1": named("symbol", "moon | a moon | moons | moons"),
    "squares.0": named("symbol", "open square | an open square | open squares | open squares"),
    "squares.1": named("symbol", "full square | a full square | full squares | full squares"),
    "letters.0": named("symbol", "A | A | A | As"),
    "letters.1": named("symbol", "B | B | B | Bs"),
    "hearts.0": named("symbol", "heart | a heart | hearts | hearts"),
    "hearts.1": named("symbol", "star | a star | stars | stars"),
    # Translators: the numbers from 0 to 20.
    "numbers": named(
        "numbers",
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty",
    ),
    # Translators: the names of lines, and what they are called without coordinates: the line that
    # a step looks at; a line that breaks a rule; a line that is compared; two equal lines.
    "row": say("row {name}"),
    "column": say("column {name}"),
    "row.line": say("this row"),
    "column.line": say("this column"),
    "row.broken": say("a row"),
    "column.broken": say("a column"),
    "row.compared": say("another row"),
    "column.compared": say("another column"),
    "row.lines": say("two rows"),
    "column.lines": say("two columns"),
    "cells": by("cells", "the highlighted cell", "the highlighted cells"),
    # Translators: the end of a sentence; and its start, about what follows from a tried value.
    "so": by("cells", "so {cells} is {value.one}", "so {cells} are {value.all}"),
    "then": say("Then"),
    "after": by("number", "After one step,", "After {number} steps,"),
    # Translators: parts of the size of an explanation.
    "known": by("number", "one known cell", "{number} known cells"),
    "rules": by("number", "one rule", "{number} rules"),
    # Translators: parts of lists.
    "span": say("{first}-{last}"),
    "comma": say("{first}, {last}"),
    "and": say("{first} and {last}"),
    "or": say("{first} or {last}"),
}

TECHNIQUES = {
    # Translators: the names of techniques, as titles.
    "pair": named("technique", "pair"),
    "sandwich": named("technique", "sandwich"),
    "sign": named("technique", "sign"),
    "count": named("technique", "count"),
    "last one": named("technique", "last one"),
    "equal pair": named("technique", "equal pair"),
    "one of each": named("technique", "one of each"),
    "sign chain": named("technique", "sign chain"),
    "projection": named("technique", "projection"),
    "two open": named("technique", "two open"),
    "distinct lines": named("technique", "distinct lines"),
    "contradiction": named("technique", "contradiction"),
    "nested contradiction": named("technique", "nested contradiction"),
    "lemma": named("technique", "lemma"),
    "by lemma": named("technique", "by lemma"),
    "smallest set": named("technique", "smallest set"),
}

JUDGED = {
    # Translators: what is said of a player's move; consistent: another solution has another value.
    "forced": named("judged", "forced"),
    "consistent": named("judged", "consistent"),
    "guess": named("judged", "guess"),
    "wrong": named("judged", "wrong"),
    "known": named("judged", "known"),
}
