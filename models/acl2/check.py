"""Apply the theorem to certificates: does the puzzle have no other solution (binairo.lisp)?

    python check.py CERTIFICATE.zip ...

This program needs ACL2 and its books. It writes a hint for each clause, why it holds. ACL2 proves
the theorem again, checks the hints and the proof, and answers. The hints need no trust. What needs
trust is `puzzle_lisp`, which states the puzzle for ACL2, and `run`, which reads the answer.

The exit status is 0 if ACL2 accepts all certificates, 1 if it rejects one, 2 if it can't decide.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import verify_certificate as plain  # noqa: E402  # it is in the folder above

ACCEPTED, REJECTED = "s ACCEPTED", "s NOT ACCEPTED"
SECONDS = 600

MOST_INTERPRETED = 3000
"""With more clauses, ACL2 compiles its functions first, which takes some seconds. Otherwise large
formulas would take long, or need more stack than there is."""

START = """\
(ld "{here}/binairo.lisp" :ld-error-action :error)
(in-package "LRAT")
(include-book "projects/sat/lrat/list-based/lrat-parser" :dir :system)
(set-guard-checking :none)
{compile}
(defconst *puzzle* '{puzzle})
(defconst *known* '{known})
(defconst *meanings* '{meanings})
(defconst *hints* (make-fast-alist '{hints}))
"""

END = """\
(er-let* ((formula (parse-cnf-file "formula.cnf" state))
          (proof (parse-lrat-file "proof.lrat" state)))
  (prog2$ (cw (if (and {condition} (all-solutions *known* *puzzle*))
                  "~%{accepted}~%" "~%{rejected}~%"))
          (value t)))
(good-bye)
"""

NO_OTHER = "(accepted formula proof *hints* {top} *meanings* *known* *puzzle*)"


def lisp(value):
    """A value of Python as Lisp."""
    if isinstance(value, bool) or value is None:
        return "t" if value else "nil"
    if isinstance(value, list | tuple | range):
        return f"({' '.join(map(lisp, value))})"
    return str(value)


def bits(board):
    """A board as a list of true and false."""
    return [value == "1" for value in board]


def puzzle_lisp(puzzle):
    """The puzzle for ACL2: height, width, clues, signs, longest run, excess, distinct lines."""
    clues = " ".join(
        f"({cell} . {lisp(clue == '1')})" for cell, clue in enumerate(puzzle.clues) if clue != "."
    )
    signs = [(one, two, equal) for one, two, _, equal in puzzle.signs]
    excess = {"ones": 1, "zeros": 0, "either": ":either"}[puzzle.odd]
    excess = excess if puzzle.balanced else ":unbalanced"
    return (
        f"({puzzle.height} {puzzle.width} ({clues}) {lisp(signs)} "
        f"{puzzle.longest_run} {excess} {lisp(puzzle.distinct_lines)})"
    )


def meanings_of(puzzle, pairs):
    """The meanings of the variables beyond the cells, in the order of the formula."""
    meanings, variable = {}, len(puzzle.clues)
    for line in plain.rows(puzzle) + plain.columns(puzzle) if puzzle.balanced else []:
        numbers = plain.numbers_of_ones(puzzle, len(line))
        if len(numbers) == 2:
            variable += 1
            meanings[variable] = (":spare", line)
        # For either symbol in excess, there is one more cell, and as many zeros as ones.
        zeros = len(line) - min(numbers)
        for j in range(1, max(numbers) + 1):
            for k in range(j, j + zeros):
                variable += 1
                meanings[variable] = (":count", line, j, k)
    for pair in pairs:
        lines = plain.rows(puzzle) if pair[0] == "row" else plain.columns(puzzle)
        for places in zip(lines[pair[1]], lines[pair[2]], strict=True):
            variable += 1
            meanings[variable] = (":differ", *places)
    return meanings


def place_of(clause, line, meanings):
    """Which cell of a line a clause about numbers of ones is about."""
    for literal in clause:
        if abs(literal) not in meanings:
            return line.index(abs(literal) - 1)
    return max(meanings[abs(literal)][3] for literal in clause) - 1


def hint(clause, puzzle, meanings, blocked):
    """Why a clause holds for every solution. ACL2 checks whether it is true.

    `blocked` are the numbers of the blocked boards, by their blocking clauses.
    """
    known = [meanings[abs(each)] for each in clause if abs(each) in meanings]
    cells = [abs(each) - 1 for each in clause if abs(each) not in meanings]
    if known and known[0][0] in (":count", ":spare"):
        line = known[0][1]
        numbers = plain.numbers_of_ones(puzzle, len(line))
        if any(each[0] == ":spare" for each in known):
            return (":spare", line, max(numbers))
        kind = ":count" if len(numbers) == 1 else ":half"
        return (kind, line, place_of(clause, line, meanings), max(numbers))
    if known and cells:
        variable = next(abs(each) for each in clause if abs(each) in meanings)
        return (":differ", variable, *known[0][1:])
    if known:
        one, two = zip(*(each[1:] for each in known), strict=True)
        return (":distinct", one, two)
    if len(cells) == len(puzzle.clues):
        return (":blocked", blocked.get(tuple(clause), 0))
    if len(cells) == 1:
        return f"(:clue ({cells[0]} . {lisp(clause[0] > 0)}))"
    for one, two, _, equal in puzzle.signs:
        if [one, two] == cells and equal == (clause[0] * clause[1] < 0):
            return (":sign", (one, two, equal))
    return (":window", cells)


def verdict(path):
    """Whether ACL2 accepts a certificate; raise Rejected or Undecided as verify_certificate."""
    plain.verify(path)
    files = plain.read_files(path)
    claim, pairs, part = plain.check_manifest(files)
    puzzle = plain.read_puzzle(files)
    boards = plain.read_solutions(files, puzzle)
    if claim == "multiple":
        raise plain.Undecided("there is nothing to prove: two solutions are given")
    stated = puzzle if part is None else plain.with_clues(puzzle, part)
    run(no_other_solution(files, stated, boards, pairs), files)
    return "no other solution"


def no_other_solution(files, puzzle, boards, pairs):
    """The commands for ACL2: a puzzle has no other solution than the boards."""
    clauses = plain.check_formula(files, puzzle, boards, pairs)
    meanings = meanings_of(puzzle, pairs)
    blocked = {plain.blocking_clause(board): number for number, board in enumerate(boards)}
    hints = [hint(clause, puzzle, meanings, blocked) for clause in clauses]
    top = max(len(puzzle.clues), *meanings, 0)
    return given(puzzle, boards, meanings, hints) + ending(NO_OTHER.format(top=top))


def given(puzzle, boards, meanings, hints):
    """The first commands for ACL2: the theorem, the puzzle, and the hints."""
    return START.format(
        here=HERE,
        compile="(comp t)" if len(hints) > MOST_INTERPRETED else "",
        puzzle=puzzle_lisp(puzzle),
        known=lisp([bits(board) for board in boards]),
        meanings=f"({' '.join(f'({v} . {lisp(m)})' for v, m in meanings.items())})",
        hints=f"({' '.join(f'({n} . {lisp(each)})' for n, each in enumerate(hints, 1))})",
    )


def ending(condition):
    """The last commands for ACL2: evaluate a condition, and print the answer."""
    return END.format(condition=condition, accepted=ACCEPTED, rejected=REJECTED)


def run(commands, files):
    """Let ACL2 answer. Its exit status says nothing, so the answer must be a line of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = files["formula.cnf"].decode("latin-1").splitlines(keepends=True)
        (folder / "formula.cnf").write_text("".join(each for each in text if each[0] != "c"))
        lrat = plain.proof_lines("proof.lrat.gz", files)
        (folder / "proof.lrat").write_text("".join(f"{line}\n" for line in lrat))
        try:
            done = subprocess.run(
                ["sh", "-c", 'ulimit -s "$(ulimit -H -s)"; exec acl2'],
                input=commands,
                capture_output=True,
                text=True,
                cwd=folder,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise plain.Undecided(f"ACL2 took more than {SECONDS} s") from None
    lines = done.stdout.splitlines()
    if ACCEPTED in lines and REJECTED not in lines and "FAILED" not in done.stdout:
        return
    if REJECTED in lines or "HARD ACL2 ERROR in " in done.stdout:
        raise plain.Rejected("ACL2 does not accept it")
    if "stack overflow" in done.stdout:
        raise plain.Undecided("the formula is too large for ACL2's stack")
    raise plain.Undecided("ACL2 failed; expected the Debian packages of ACL2 and its books")


if __name__ == "__main__":
    sys.exit(plain.main(sys.argv[1:], verdict))
