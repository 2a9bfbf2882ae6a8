#!/usr/bin/env python3
"""Check certificates of Binairo puzzles. One file, Python's standard library, nothing else.

    python verify_certificate.py CERTIFICATE.zip ...

A certificate claims that a puzzle has exactly one solution (unique), several (multiple), or none.
This program shares no code with the package that makes certificates. It is written to be read from
top to bottom in one evening. Each section is a reason to believe the claim:

    1. Files      The files are complete, and have the sizes and hashes that the manifest states.
    2. Puzzle     The size, the clues, the signs and the rules are read without any tolerance.
    3. Solutions  They satisfy the clues, the signs and the rules.
    4. Formula    The clauses state the puzzle. They are written again from the puzzle alone, and
                  the file must be the same, line by line.
    5. Proof      The clauses contradict each other, so there is no (other) solution.

The exit status is 0 if all certificates are valid, 1 if one is rejected, 2 if one is undecided.
"""

import hashlib
import io
import json
import re
import sys
import zipfile
import zlib
from collections import namedtuple
from pathlib import Path


class Rejected(Exception):
    """The certificate is not valid; the message says why."""


class Undecided(Exception):
    """The certificate may be valid, but this program can't decide it."""


def require(condition, message):
    """Reject the certificate unless the condition holds."""
    if not condition:
        raise Rejected(message)


# ---- 1. Files -----------------------------------------------------------------------------------

MEBI = 1 << 20
LARGEST = dict.fromkeys(("manifest.json", "puzzle.json"), 4 * MEBI)
LARGEST |= dict.fromkeys(("solution.txt", "second_solution.txt"), MEBI)
LARGEST["solutions_without_clue.txt"] = 16 * MEBI
FORMULA = ("formula.cnf", "proof.drat.gz", "proof.lrat.gz")
LARGEST |= dict.fromkeys(FORMULA, 64 * MEBI)
LARGEST_UNPACKED = {"proof.drat.gz": 256 * MEBI, "proof.lrat.gz": 32 * MEBI}
LARGEST_DIRECTORY, MOST_CLAUSES, LARGEST_WORK = 4096, 3_000_000, 1_000_000_000

FIELDS = {"schema_version", "claim", "files", "formula", "solver", "made_by", "conflict"}
NEEDED = {
    "unique": {"puzzle.json", "solution.txt", "formula.cnf", "proof.drat.gz"},
    "none": {"puzzle.json", "formula.cnf", "proof.drat.gz"},
    "multiple": {"puzzle.json", "solution.txt", "second_solution.txt"},
}


def read_files(path):
    """The contents of a certificate, a zip or a folder, by the names of its files."""
    if path.is_dir():
        # A link may lead anywhere, so only regular files are read.
        regular = {each.name for each in path.iterdir() if each.is_file() and not each.is_symlink()}
        require(regular == {each.name for each in path.iterdir()}, "there is an irregular file")
        return {name: read_bounded(name, open(path / name, "rb")) for name in regular}
    with open(path, "rb") as file:
        data = file.read(sum(LARGEST.values()))
    # The table of contents of a zip is near its end. A huge one would fill the memory.
    end = data.rfind(b"PK\5\6")
    require(0 <= end <= len(data) - 22, "it is neither a folder nor a zip, or too large")
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    require(size <= LARGEST_DIRECTORY and b"PK\6\7" not in data[end - 20 : end], "too many files")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            require(len(set(names)) == len(names), "a file occurs twice in the zip")
            methods = {each.compress_type for each in archive.infolist()}
            require(methods <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}, "unknown compression")
            return {name: read_bounded(name, archive.open(name)) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise Rejected(f"the zip can't be read: {error}") from None


def read_bounded(name, file):
    """The content of an open file, unless it is too large."""
    with file:
        require(name in LARGEST, f"unexpected file {name!a}")
        data = file.read(LARGEST[name] + 1)
    require(len(data) <= LARGEST[name], f"{name} is too large")
    return data


def lines_of_text(name, data):
    """The lines of a text, all of which end."""
    lines = data.decode("latin-1").split("\n")
    require(lines.pop() == "", f"{name}: the last line does not end")
    return lines


def read_json(name, files):
    """The object in a JSON file. A repeated key could be read in two ways, so it is refused."""

    def with_unique_keys(pairs):
        require(len(dict(pairs)) == len(pairs), f"{name}: a key occurs twice")
        return dict(pairs)

    require(name in files, f"{name} is missing")
    try:
        # JSON is UTF-8 without a byte order mark, and its strings are text: no half of a character.
        value = json.loads(files[name].decode(), object_pairs_hook=with_unique_keys)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Rejected(f"{name} is not JSON: {error}") from None
    require(isinstance(value, dict), f"{name} is not a JSON object")
    return value


def check_manifest(files):
    """Check the manifest and all hashes; return claim, pairs of lines, and conflicting clues."""
    manifest = read_json("manifest.json", files)
    require(manifest.keys() <= FIELDS, "manifest.json: unknown field")
    require(isinstance(manifest.get("solver"), str | None), "manifest.json: solver is not text")
    require(isinstance(manifest.get("made_by"), str), "manifest.json: made_by is not text")
    require(is_number(manifest.get("schema_version"), 1, 1), "manifest.json: unknown version")
    claim, stated = manifest.get("claim"), manifest.get("files")
    require(isinstance(claim, str) and claim in NEEDED, "manifest.json: unknown claim")
    require(isinstance(stated, dict), "manifest.json: files is not an object")
    for name in stated.keys() ^ (files.keys() - {"manifest.json"}):
        raise Rejected(f"{name!a} is not in {'the certificate' if name in stated else 'manifest'}")
    conflict = manifest.get("conflict")
    require(conflict is None or claim == "none", "manifest.json: this claim has no conflict")
    needed = NEEDED[claim] | (set() if conflict is None else {"solutions_without_clue.txt"})
    allowed = needed | ({"proof.lrat.gz"} if claim != "multiple" else set())
    require(needed <= stated.keys() <= allowed, f"wrong files for the claim {claim}")
    for name, entry in stated.items():
        actual = {"sha256": hashlib.sha256(files[name]).hexdigest(), "bytes": len(files[name])}
        require(entry == actual, f"{name} does not have the size and hash in the manifest")
    formula = manifest.get("formula")
    if claim == "multiple":
        require(formula is None, "manifest.json: this claim has no formula")
        return claim, [], None
    require(isinstance(formula, dict), "manifest.json: formula is missing")
    require(formula.keys() <= {"encoder", "distinct_lines"}, "manifest.json: unknown field")
    require(is_number(formula.get("encoder"), 1, 1), "manifest.json: unknown encoder")
    pairs = formula.get("distinct_lines", [])
    require(isinstance(pairs, list), "manifest.json: distinct_lines is not a list")
    return claim, pairs, conflict


def is_number(value, low, high):
    """Whether a value is a number in a range. In Python True is 1, but here it is no number."""
    return type(value) is int and low <= value <= high


# ---- 2. Puzzle ----------------------------------------------------------------------------------

Puzzle = namedtuple("Puzzle", "height width clues signs balanced longest_run distinct_lines odd")
# Cells are numbered from 0, row by row. A sign is (cell, cell, its text, whether they are equal).

LARGEST_SIDE, LONGEST_ID = 255, 1_000
CLASSIC = {"balanced": True, "longest_run": 2, "distinct_lines": True, "odd": "either"}
UNRULY = CLASSIC | {"distinct_lines": False}
PRESETS = {"classic": CLASSIC, "unruly": UNRULY, "plus": UNRULY, "tango": UNRULY}


def read_puzzle(files):
    """The puzzle of a certificate."""
    record = read_json("puzzle.json", files)
    fields = {"id", "height", "width", "clues", "signs", "rules"}
    require(record.keys() <= fields, "puzzle.json: unknown field")
    id, clues = record.get("id"), record.get("clues")
    require(id is None or (isinstance(id, str) and len(id) <= LONGEST_ID), "puzzle.json: id")
    height, width = record.get("height"), record.get("width")
    for side in (height, width):
        require(is_number(side, 1, LARGEST_SIDE), "puzzle.json: a side is not from 1 to 255")
    is_board = isinstance(clues, str) and re.fullmatch("[01.]*", clues)
    require(is_board and len(clues) == height * width, "puzzle.json: the clues don't fit")
    rules = record.get("rules")
    rules = PRESETS.get(rules) if isinstance(rules, str) else rules
    is_complete = isinstance(rules, dict) and rules.keys() == CLASSIC.keys()
    require(is_complete, "puzzle.json: the rules are not stated")
    flags = {type(rules["balanced"]), type(rules["distinct_lines"])}
    require(flags == {bool}, "puzzle.json: a rule is neither true nor false")
    require(is_number(rules["longest_run"], 1, LARGEST_SIDE), "puzzle.json: wrong longest_run")
    require(rules["odd"] in ("either", "ones", "zeros"), "puzzle.json: wrong rule for odd lines")
    signs = record.get("signs", [])
    require(isinstance(signs, list), "puzzle.json: signs is not a list")
    # Sorted by row, column, direction; a sign that occurs twice is one sign.
    read = {read_sign(sign, height, width): tuple(sign) for sign in signs}
    signs = sorted(read, key=read.get)
    return Puzzle(height, width, clues, signs, **rules)


def read_sign(sign, height, width):
    """A sign: [row, column, right or down, equal or opposite]."""
    is_sign = isinstance(sign, list) and len(sign) == 4
    require(is_sign and sign[2] in ("R", "D") and sign[3] in ("=", "x"), "puzzle.json: no sign")
    row, column, direction, relation = sign
    down, right = (0, 1) if direction == "R" else (1, 0)
    is_inside = is_number(row, 0, height - 1 - down) and is_number(column, 0, width - 1 - right)
    require(is_inside, "puzzle.json: a sign outside the board")
    text = f"r{row + 1}c{column + 1}{relation}r{row + 1 + down}c{column + 1 + right}"
    first = row * width + column
    return first, first + down * width + right, text, relation == "="


def rows(puzzle):
    """The cells of each row."""
    return [range(r * puzzle.width, (r + 1) * puzzle.width) for r in range(puzzle.height)]


def columns(puzzle):
    """The cells of each column."""
    return [range(c, puzzle.height * puzzle.width, puzzle.width) for c in range(puzzle.width)]


# ---- 3. Solutions -------------------------------------------------------------------------------


def read_solutions(files, puzzle):
    """The solutions in the certificate: none, one or two."""
    boards = []
    for name in ("solution.txt", "second_solution.txt"):
        if name in files:
            text = files[name].decode("ascii", "replace").split()
            require({len(row) for row in text} == {puzzle.width}, f"{name} is not a board")
            boards.append("".join(text))
    for board in boards:
        check_solution(puzzle, board)
    require(len(set(boards)) == len(boards), "two solutions are the same")
    return boards


def check_solution(puzzle, board):
    """Reject the certificate unless a board is a solution of a puzzle."""
    require(len(board) == len(puzzle.clues) and set(board) <= set("01"), "no full board")
    broken = broken_rule(puzzle, board)
    require(broken is None, f"a board is not a solution: it breaks {broken}")


def with_clues(puzzle, part):
    """The puzzle with only a part of its clues, given as a board."""
    is_part = isinstance(part, str) and len(part) == len(puzzle.clues)
    is_part = is_part and all(a in (".", b) for a, b in zip(part, puzzle.clues, strict=True))
    require(is_part, "manifest.json: conflict: these are not clues of the puzzle")
    return puzzle._replace(clues=part)


def check_conflict(files, puzzle):
    """For each clue of a puzzle, the others must have a solution."""
    conflict = puzzle.clues
    boards = lines_of_text("solutions_without_clue.txt", files["solutions_without_clue.txt"])
    cells = [cell for cell, clue in enumerate(conflict) if clue != "."]
    require(len(boards) == len(cells), "solutions_without_clue.txt: not a line for each clue")
    for cell, board in zip(cells, boards, strict=True):
        others = f"{conflict[:cell]}.{conflict[cell + 1 :]}"
        check_solution(puzzle._replace(clues=others), board)


def broken_rule(puzzle, board):
    """The name of a rule that a full board breaks, or None."""
    if any(clue not in (".", value) for clue, value in zip(puzzle.clues, board, strict=True)):
        return "a clue"
    if any((board[one] == board[two]) != equal for one, two, _, equal in puzzle.signs):
        return "a sign"
    for lines in (rows(puzzle), columns(puzzle)):
        texts = ["".join(board[cell] for cell in line) for line in lines]
        for text in texts:
            if any(symbol * (puzzle.longest_run + 1) in text for symbol in "01"):
                return "the rule of runs"
            if puzzle.balanced and text.count("1") not in numbers_of_ones(puzzle, len(text)):
                return "the rule of balance"
        if puzzle.distinct_lines and len(set(texts)) < len(texts):
            return "the rule of distinct lines"
    return None


def numbers_of_ones(puzzle, length):
    """The numbers of ones in a balanced line. If its length is odd, one symbol is in excess."""
    low, high = length // 2, (length + 1) // 2
    return {"either": {low, high}, "ones": {high}, "zeros": {low}}[puzzle.odd]


# ---- 4. Formula ---------------------------------------------------------------------------------
#
# A clause is a list of literals, at least one of which is true. Variable n is cell n - 1, true for
# 1; a negative number is a negated variable. All other variables have a meaning, which a comment
# states. So a solution of the puzzle gives a value to every variable, and then all clauses hold.
# The proof needs nothing else: if clauses contradict each other, the puzzle has no solution.


def check_formula(files, puzzle, blocked, pairs):
    """Compare the file with the clauses of the puzzle, line by line; return the clauses."""
    # Older certificates have all variables of the cells in one line.
    shown = 10 if files[FORMULA[0]].count(b"\nc p show ") > 1 else len(puzzle.clues)
    head = list(comments(puzzle, blocked, shown))
    name, variables = FORMULA[0], len(puzzle.clues)
    data = files[name]
    require(data.count(b" 0\n") <= MOST_CLAUSES, f"{name} has too many clauses")
    found, clauses = data.decode("latin-1").split("\n"), []

    def compare(place, expected):
        line = found[place] if place < len(found) else "the end"
        if line != expected:
            raise Rejected(f"{name}, line {place + 1}: {line[:60]!a}; expected {expected[:60]!a}")

    for place, comment in enumerate(head):
        compare(place, f"c {comment}")
    for clause in all_clauses(puzzle, blocked, pairs):
        clauses.append(clause)
        compare(len(head) + len(clauses), " ".join(map(str, [*clause, 0])))
        variables = max(variables, *map(abs, clause))
    compare(len(head), f"p cnf {variables} {len(clauses)}")
    require(found[len(head) + 1 + len(clauses) :] == [""], f"{name} does not end here")
    return clauses


def all_clauses(puzzle, blocked, pairs):
    """The clauses: clues, signs, rules of each line, the blocked solution, pairs of lines."""
    new = iter(range(len(puzzle.clues) + 1, 1 << 62))
    for cell, clue in enumerate(puzzle.clues):
        if clue != ".":
            yield [cell + 1 if clue == "1" else -(cell + 1)]
    for one, two, _, equal in puzzle.signs:
        sign = -1 if equal else 1
        yield from ([one + 1, sign * (two + 1)], [-(one + 1), -sign * (two + 1)])
    for line in rows(puzzle) + columns(puzzle):
        yield from line_clauses(puzzle, [cell + 1 for cell in line], new)
    for board in blocked:
        yield list(blocking_clause(board))
    for pair in pairs:
        yield from distinct(*lines_of(puzzle, pair), new)


def blocking_clause(board):
    """At least one cell differs from a known solution."""
    return tuple(-cell if value == "1" else cell for cell, value in enumerate(board, 1))


def line_clauses(puzzle, line, new):
    """The rules of one line. Of any longest_run + 1 neighbours, one is 1 and one is 0."""
    size = puzzle.longest_run + 1
    for start in range(len(line) - size + 1):
        yield line[start : start + size]
        yield [-cell for cell in line[start : start + size]]
    if puzzle.balanced:
        numbers = numbers_of_ones(puzzle, len(line))
        if len(numbers) == 2:
            # A cell off the board, with the symbol that is short, makes the numbers equal.
            line = [*line, next(new)]
        yield from exactly(max(numbers), line, new)


def exactly(ones, line, new):
    """So many cells are 1, and the others, `zeros` of them, are 0.

    Variable (j, k) means: at least j of the first k cells are 1. There is none where the answer is
    known. No ones: always. More ones than cells: never. At least `zeros` cells besides the j ones:
    always, since if there were fewer ones, there would be too many zeros.
    """
    zeros, variable = len(line) - ones, {}

    def at_least(j, k):
        if j == 0 or k - j >= zeros:
            return True
        return variable[j, k] if j <= k else False

    for j in range(1, ones + 1):
        for k in range(j, j + zeros):
            variable[j, k] = next(new)
        for k in range(j, j + zeros + 1):
            # It is true exactly if it was true a cell before, or if this cell is the j-th one.
            cell, now = line[k - 1], at_least(j, k)
            before, fewer = at_least(j, k - 1), at_least(j - 1, k - 1)
            yield from clause(negated(before), now)
            yield from clause(negated(now), fewer)
            yield from clause(-cell, negated(fewer), now)
            yield from clause(cell, before, negated(now))
    for k in range(ones, len(line)):
        # There is no further 1 after all of them.
        yield from clause(-line[k], negated(at_least(ones, k)))


def clause(*literals):
    """A clause without its constants True and False; no clause if it is always true."""
    kept = [each for each in literals if not isinstance(each, bool)]
    return [] if any(each is True for each in literals) else [kept]


def negated(literal):
    """The opposite of a literal or constant."""
    return not literal if isinstance(literal, bool) else -literal


def distinct(one, two, new):
    """Two lines differ. For each place there is a variable: they differ there."""
    differ = [next(new) for _ in one]
    for d, a, b in zip(differ, one, two, strict=True):
        yield from ([-d, a, b], [-d, -a, -b], [d, -a, b], [d, a, -b])
    yield differ


def lines_of(puzzle, pair):
    """The two lines of a pair in the manifest, if the rules say that they differ."""
    require(puzzle.distinct_lines, "manifest.json: the rules do not compare lines")
    is_pair = isinstance(pair, list) and len(pair) == 3 and pair[0] in ("row", "column")
    require(is_pair, "manifest.json: distinct_lines has no pair of lines")
    lines = rows(puzzle) if pair[0] == "row" else columns(puzzle)
    is_ordered = is_number(pair[2], 1, len(lines) - 1) and is_number(pair[1], 0, pair[2] - 1)
    require(is_ordered, "manifest.json: distinct_lines: there is no such pair of lines")
    return ([cell + 1 for cell in lines[each]] for each in pair[1:])


def comments(puzzle, blocked, shown):
    """The comments of the formula. The proof does not need them, but they must not mislead."""
    yield from ("binairo puzzle, encoder version 1", f"size {puzzle.height}x{puzzle.width}")
    yield from (f"rule {name} {getattr(puzzle, name)}" for name in CLASSIC)
    yield from (f"clues {puzzle.clues[row.start : row.stop]}" for row in rows(puzzle))
    yield from (f"sign {text}, counted from 1" for _, _, text, _ in puzzle.signs)
    if blocked:
        yield from (f"blocked {blocked[0][row.start : row.stop]}" for row in rows(puzzle))
        yield "the blocked board is a solution: no model means that it is the only one"
    yield "balance grid: as many models as the puzzle has solutions"
    yield "cell ROW COLUMN = VARIABLE, rows and columns from 1; true for 1"
    cells = range(len(puzzle.clues))
    yield from (f"cell {c // puzzle.width + 1} {c % puzzle.width + 1} = {c + 1}" for c in cells)
    for start in cells[::shown]:
        yield f"p show {' '.join(str(cell + 1) for cell in cells[start : start + shown])} 0"


# ---- 5. Proof -----------------------------------------------------------------------------------

LRAT_LINE = re.compile(r"([1-9]\d{0,9} )((?:-?[1-9]\d{0,9} )*)0 ((?:[1-9]\d{0,9} )*)0", re.ASCII)


def check_proof(files, clauses):
    """Check that the clauses contradict each other; return the number of lines of the proof.

    Each line of LRAT has a number, a clause, and the numbers of the clauses that it follows from
    (hints). The last clause is empty, so nothing satisfies it. DRAT has the same clauses alone.
    """
    drat, lrat = FORMULA[1:]
    if lrat not in files:
        raise Undecided("the certificate has no LRAT proof, only a DRAT proof")
    known, added, work = dict(enumerate(clauses, 1)), [], 0
    top = 2 * max((abs(literal) for clause in clauses for literal in clause), default=0)
    for place, line in enumerate(proof_lines(lrat, files), 1):
        match, where = LRAT_LINE.fullmatch(line), f"{lrat}, line {place}"
        require(match and len(line) < 4 * MEBI, f"{where}: {line[:60]!a} is no clause with hints")
        (number,), literals, hints = (list(map(int, part.split())) for part in match.groups())
        work += sum(len(known.get(hint, ())) for hint in hints)
        if work > LARGEST_WORK:
            raise Undecided("the proof takes too long")
        require(all(abs(each) <= top for each in literals), f"{where}: an unknown variable")
        require(number not in known, f"{where}: there is another clause {number}")
        require(follows(literals, hints, known), f"{where}: the clause does not follow")
        known[number] = literals
        added.append(" ".join(map(str, [*literals, 0])))
    require(added[-1:] == ["0"], f"{lrat}: the last clause is not empty")
    require(proof_lines(drat, files) == added, f"{drat}: not the clauses of LRAT")
    return len(added)


def follows(literals, hints, known):
    """Whether a clause follows from its hints.

    Suppose that all its literals are false. Then a hint has one literal left that can be true, so
    it is true. And so on, until a hint has no literal left: the clause can't be false.
    """
    true = {-literal for literal in literals}
    for hint in hints:
        if hint not in known:
            return False
        left = {literal for literal in known[hint] if -literal not in true}
        if len(left) != 1:
            return not left
        true |= left
    return False


def proof_lines(name, files):
    """The lines of a compressed file."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(files[name], LARGEST_UNPACKED[name] + 1)
    except zlib.error as error:
        raise Rejected(f"{name}: {error}") from None
    require(len(data) <= LARGEST_UNPACKED[name], f"{name} is too large when unpacked")
    require(unpacker.eof and not unpacker.unused_data, f"{name} is cut off, or data follows it")
    return lines_of_text(name, data)


# ---- All together -------------------------------------------------------------------------------


def verify(path):
    """Check a certificate and return what it proves. Raise Rejected, Undecided or OSError."""
    files = read_files(path)
    claim, pairs, part = check_manifest(files)
    puzzle = read_puzzle(files)
    boards = read_solutions(files, puzzle)
    if claim == "multiple":
        return "several solutions"
    stated = puzzle if part is None else with_clues(puzzle, part)
    if part is not None:
        check_conflict(files, stated)
    clauses = check_formula(files, stated, boards, pairs)
    lines = check_proof(files, clauses)
    words = {"unique": "exactly one solution", "none": "no solution"}
    return f"{words[claim]} ({len(clauses):,} clauses refuted in {lines:,} lines)"


def main(paths, check=verify):
    """Check all certificates, print the results, and return the exit status."""
    if not paths:
        print("usage: verify_certificate.py CERTIFICATE.zip ...", file=sys.stderr)
    status = 0 if paths else 2
    for path in paths:
        try:
            print(f"{path!a}: valid: {check(Path(path))}")
        except Rejected as error:
            print(f"{path!a}: rejected: {error}")
            status = max(status, 1)
        except (Undecided, OSError) as error:
            print(f"{path!a}: undecided: {getattr(error, 'strerror', None) or error}")
            status = 2
        except KeyboardInterrupt:
            print(f"{path!a}: undecided: interrupted")
            return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
