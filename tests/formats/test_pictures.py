"""Puzzles read from pictures that the tests draw in several skins, and from pictures of others."""

import io
import json
import os
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageOps

import binairo_cp as bn
from binairo_cp import formats
from binairo_cp.errors import SourceError
from binairo_cp.formats.pictures import drawing, lattice, reading
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import PRESETS, Puzzle, Rules, Sign
from tests.support.command_line import invoke

CLUES = "1....0.1..1.......1.0...0..0....0..."
SIGNS = [(0, 1, "R", "="), (1, 4, "D", "x"), (3, 3, "R", "x"), (4, 0, "D", "=")]


@dataclass(frozen=True)
class Skin:
    """Colours of the page and the lines, and how a symbol is drawn into a box."""

    ground: str
    line: str
    symbol: Callable[[ImageDraw.ImageDraw, str, tuple[float, ...]], None]


def circles(draw: ImageDraw.ImageDraw, value: str, box: tuple[float, ...]) -> None:
    draw.ellipse(box, fill="black" if value == "1" else "white", outline="black", width=3)


def digits(draw: ImageDraw.ImageDraw, value: str, box: tuple[float, ...]) -> None:
    left, top, right, bottom = box
    if value == "0":
        draw.ellipse((left + 6, top, right - 6, bottom), outline="black", width=5)
    else:
        middle = (left + right) / 2
        draw.rectangle((middle - 3, top, middle + 3, bottom), fill="black")
        draw.line((middle - 8, top + 8, middle, top + 2), fill="black", width=5)


def letters(draw: ImageDraw.ImageDraw, value: str, box: tuple[float, ...]) -> None:
    """The 1 of this font has its stem on the right."""
    left, top, right, bottom = box
    font = ImageFont.load_default(bottom - top + 8)
    draw.text(((left + right) / 2, (top + bottom) / 2), value, "black", font, anchor="mm")


def sky(draw: ImageDraw.ImageDraw, value: str, box: tuple[float, ...]) -> None:
    draw.ellipse(box, fill="#4080e0" if value == "1" else "#ffb020")
    if value == "1":
        left, top, right, bottom = box
        draw.ellipse((left - 10, top - 8, right - 12, bottom - 10), fill="white")


LARGER = (-7, -7, 7, 7)
SKINS = {
    "circles": Skin("white", "#d8d8d8", circles),
    "rings": Skin("white", "#909090", lambda *to: circles(*to[:2], (*np.add(to[2], LARGER),))),
    "digits": Skin("white", "black", digits),
    "letters": Skin("white", "black", letters),
    "sky": Skin("white", "#e4e0d8", sky),
}
SIMILAR = ("circles", "letters", "rings")
"""Skins that only slow tests draw where a reading takes long."""


def drawn(skin: Skin, clues: str = CLUES, signs: object = SIGNS, side: int = 72) -> Image.Image:
    """A 6x6 board on a page with a title and a button."""
    image = Image.new("RGB", (6 * side + 110, 6 * side + 190), skin.ground)
    draw = ImageDraw.Draw(image)
    left, top = 53, 87
    draw.text((60, 30), "A puzzle", fill="black")
    draw.rounded_rectangle((left, top + 6 * side + 30, left + 150, top + 6 * side + 70), 9, "gray")
    for k in range(7):
        for line in (
            (left, top + k * side, left + 6 * side, top + k * side),
            (left + k * side, top, left + k * side, top + 6 * side),
        ):
            draw.line(line, fill=skin.line, width=3)
    for k, value in enumerate(clues):
        y, x = top + k // 6 * side, left + k % 6 * side
        if value != ".":
            skin.symbol(draw, value, (x + 19, y + 19, x + side - 19, y + side - 19))
    for row, column, direction, relation in signs:
        x = left + column * side + (side if direction == "R" else side // 2)
        y = top + row * side + (side if direction == "D" else side // 2)
        draw.rectangle((x - 11, y - 11, x + 11, y + 11), fill=skin.ground)
        for a, b, c, d in BARS[relation]:
            draw.line((x + a, y + b, x + c, y + d), fill="#705030", width=3)
    return image


BARS = {
    "=": [(-7, -4, 7, -4), (-7, 4, 7, 4)],
    "x": [(-6, -6, 6, 6), (-6, 6, 6, -6)],
    "not equal": [(-7, -4, 7, -4), (-7, 4, 7, 4), (-4, 8, 4, -8)],
    "bolt": [(3, -9, -5, 1), (-5, 1, 5, -1), (5, -1, -3, 9)],
    "plus": [(-8, 0, 8, 0), (0, -8, 0, 8)],
    "bar": [(-8, 0, 8, 0)],
}


def tiles(clues: str = CLUES, side: int = 60, gap: int = 12) -> Image.Image:
    """A 6x6 board of tiles with gaps between them, signs on badges, and numbers at its side."""
    image = Image.new("RGB", (6 * (side + gap) + 160, 6 * (side + gap) + 220), "#444444")
    draw = ImageDraw.Draw(image)
    for k, value in enumerate(clues):
        y, x = 90 + k // 6 * (side + gap), 30 + k % 6 * (side + gap)
        colour = {"0": "#f6df88", "1": "#c4cbf7", ".": "#565656"}[value]
        draw.rounded_rectangle((x, y, x + side, y + side), 6, fill=colour)
        if value != ".":
            box = (x + 16, y + 16, x + side - 16, y + side - 16)
            draw.ellipse(box, fill="#303030" if value == "0" else None, outline="black", width=3)
        draw.text((30 + 6 * (side + gap) + 12, y + 20), "1|2", fill="white")
    for row, column, direction, relation in SIGNS:
        x = 30 + column * (side + gap) + (side + gap / 2 if direction == "R" else side / 2)
        y = 90 + row * (side + gap) + (side + gap / 2 if direction == "D" else side / 2)
        draw.ellipse((x - 15, y - 15, x + 15, y + 15), fill="#eedbd6", outline="#444444", width=2)
        for a, b, c, d in BARS["bolt" if relation == "x" else "="]:
            draw.line((x + a, y + b, x + c, y + d), fill="black", width=2)
    return image


def saved(image: Image.Image, format: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def photo(image: Image.Image, seed: int, angle: float, tilt: float) -> bytes:
    """A photo of a printed page: turned, seen at an angle, in uneven light, blurred and noisy."""
    chance = np.random.default_rng(seed)
    page = ImageOps.expand(image, image.width // 4, "white")
    page = page.rotate(angle, Image.Resampling.BICUBIC, fillcolor="white")
    wide, tall = page.size
    corners = np.array([(0, 0), (0, tall), (wide, tall), (wide, 0)])
    seen = corners + chance.uniform(-tilt, tilt, (4, 2)) * wide
    page = page.transform(
        page.size, Image.Transform.QUAD, seen.flatten().tolist(), Image.Resampling.BICUBIC
    ).filter(ImageFilter.GaussianBlur(1))
    across, down = np.meshgrid(np.linspace(0, 1, wide), np.linspace(0, 1, tall))
    slope, edge = chance.uniform(0.3, 1, 2)
    light = 0.55 + 0.3 * slope * across + 0.15 * np.tanh(9 * (across + slope * down - edge))
    pixels = np.asarray(page, float) * light[..., None] * (1, 0.97, 0.9)
    pixels = (pixels + chance.normal(0, 4, pixels.shape)).clip(0, 255)
    return saved(Image.fromarray(pixels.astype(np.uint8)), "JPEG", quality=75)


scaled = partial(ImageOps.scale, resample=Image.Resampling.LANCZOS)


def noisy(image: Image.Image) -> Image.Image:
    noise = np.random.default_rng(1).normal(0, 3, (image.height, image.width, 3))
    return Image.fromarray((np.asarray(image) + noise).clip(0, 255).astype(np.uint8))


def turned(image: Image.Image) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(image.rotate(90, expand=True), "JPEG", exif=exif, quality=95)


def on_a_screen(image: Image.Image, width: int, height: int) -> bytes:
    screen = Image.new("RGB", (width, height), "#f4f2ee")
    ImageDraw.Draw(screen).rectangle((0, 0, width, 40), "#a0a8b0")
    screen.paste(image, (width // 3 + 1, height // 4 + 1))
    return saved(screen)


def tilted(image: Image.Image, angle: float) -> bytes:
    return saved(image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white"))


CHANGES: dict[str, Callable[[Image.Image], bytes]] = {
    "none": saved,
    "60 %": lambda image: saved(scaled(image, 0.6)),
    "150 %": lambda image: saved(scaled(image, 1.5)),
    "JPEG": lambda image: saved(image, "JPEG", quality=40),
    "WebP": lambda image: saved(image, "WEBP"),
    "noise": lambda image: saved(noisy(image)),
    "inverted": lambda image: saved(ImageOps.invert(image)),
    "shifted": lambda image: saved(image.crop((31, 43, image.width - 7, image.height - 5))),
    "alpha": lambda image: saved(image.convert("RGBA")),
    "16 bits": lambda image: saved(
        Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)
    ),
    "CMYK": lambda image: saved(image.convert("CMYK"), "JPEG", quality=95),
    "turned": turned,
    "300 %": lambda image: saved(scaled(image, 3)),
    "wide": lambda image: on_a_screen(image, 1920, 1080),
    "4K": lambda image: on_a_screen(scaled(image, 1.5), 3840, 2160),
    "low contrast": lambda image: saved(image.point(lambda value: int(178 + 0.3 * value))),
    "1 degree": lambda image: tilted(image, 1),
    "2 degrees": lambda image: tilted(image, 2),
    "3 degrees": lambda image: tilted(image, -3),
}
HARD = ("60 %", "JPEG", "noise", "16 bits", "1 degree", "2 degrees", "3 degrees")


@pytest.mark.parametrize("change", ["none", "150 %", "WebP", "alpha", "JPEG", "60 %"])
def test_tiles_with_badges_are_read(change: str) -> None:
    """The badge beside ``=`` is unfamiliar, and the same on both edges: so it is ``x``."""
    with suppress(SourceError) if change == "60 %" else nullcontext():
        assert_right(read_record(CHANGES[change](tiles())))


@pytest.mark.parametrize("sign", ["bolt", "plus", "bar"])
def test_an_unfamiliar_sign_is_unsure(sign: str) -> None:
    """Beside another of its kind and one that is known."""
    strange = (4, 4, "R", sign)
    for signs in [(0, 1, "R", "="), (2, 2, "R", sign)], [(0, 1, "R", "x"), (2, 2, "R", sign)]:
        with pytest.raises(SourceError, match="r5c5"):
            read_record(saved(drawn(SKINS["digits"], signs=[*signs, strange])))


def test_a_crossed_out_equals_sign_is_never_an_equals_sign() -> None:
    with suppress(SourceError):
        data = saved(drawn(SKINS["digits"], signs=[(4, 4, "R", "not equal")]))
        assert read_record(data)["signs"] == [(4, 4, "R", "x")]


# Without colours, a moon can't be told from a sun.
CHANGED = [each for each in product(SKINS, CHANGES) if each != ("sky", "16 bits")]


# A third is quick: each skin with four changes, each change with a skin or two.
@pytest.mark.parametrize(
    ("skin", "change"),
    [
        pytest.param(
            *each,
            marks=(pytest.mark.slow, pytest.mark.rotating) if (k + k // len(CHANGES)) % 3 else (),
        )
        for k, each in enumerate(CHANGED)
    ],
)
def test_a_changed_picture_is_read_right_or_is_unsure(skin: str, change: str) -> None:
    """Nothing but the harder changes may make a reading unsure, and none makes it wrong."""
    with suppress(SourceError) if change in HARD else nullcontext():
        assert_right(read_record(CHANGES[change](drawn(SKINS[skin]))))


def read_record(data: bytes) -> dict[str, Any]:
    """The record of the only board of a picture; it raises what is wrong, as `bn.read` says it."""
    (entry,) = formats.read_bytes(data, "a")
    if entry.error:
        raise entry.error
    assert entry.picture
    assert min(entry.picture.confidence + entry.picture.sign_confidence) >= 0.5
    return formats.records.to_record(entry).model_dump()


def read_board(data: bytes) -> reading.Reading:
    (found,) = reading.read(data, "a")
    assert isinstance(found, reading.Reading)
    return found


def assert_right(read: dict[str, Any]) -> None:
    signs = sorted(map(tuple, read["signs"]))
    assert (read["clues"], signs) == (CLUES, sorted(SIGNS))


def test_a_file_is_read_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    path.write_bytes(saved(drawn(SKINS["digits"])))
    (entry,) = bn.read(path)
    assert entry.puzzle
    assert entry.puzzle.board.cells == CLUES
    assert len(entry.puzzle.signs) == len(SIGNS)


@pytest.fixture
def opaque(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn values are usually paler than others, so that some can't be told for sure."""
    monkeypatch.setattr(drawing, "_OPACITY", 1)


@pytest.mark.usefixtures("opaque")
@pytest.mark.parametrize(
    "skin",
    [pytest.param(each, marks=pytest.mark.slow if each in SIMILAR else ()) for each in SKINS],
)
def test_a_drawn_solution_is_read_again(skin: str, tmp_path: Path) -> None:
    path, out = tmp_path / "a.png", tmp_path / "solved.png"
    path.write_bytes(saved(drawn(SKINS[skin])))
    invoke("solve", str(path), "--draw", str(out), check=0)
    (entry,) = bn.read(path)
    assert entry.puzzle
    solution = bn.solve(entry.puzzle).solution
    assert solution
    assert read_board(out.read_bytes()).board(entries=True) == solution.cells


@pytest.mark.parametrize("image", [drawn(SKINS["digits"]), tiles()])
def test_a_drawn_hint_changes_its_cells_and_their_reason(image: Image.Image, tmp_path: Path):
    path, out = tmp_path / "a.png", tmp_path / "hint.png"
    path.write_bytes(saved(image))
    done = invoke("hint", str(path), "--draw", str(out), "--to", "ndjson", check=1)
    (step,) = json.loads(done.stdout)["steps"]
    ys, xs = np.nonzero(np.asarray(ImageChops.difference(image, Image.open(out)).convert("L")))
    lattice = read_board(path.read_bytes()).lattice
    rows, columns = np.searchsorted(lattice.ys, ys) - 1, np.searchsorted(lattice.xs, xs) - 1
    changed = set(zip(rows.tolist(), columns.tolist(), strict=True))
    assert changed == set(map(tuple, step["cells"] + step["reason"]))


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.line", "needs a picture"), ("a.png", "is an input"), ("folder", "needs one source")],
)
def test_other_sources_can_not_be_drawn_on(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.line").write_text("..1....0..10.0..\n")
    (tmp_path / "a.png").write_bytes(saved(drawn(SKINS["digits"])))
    result = invoke("solve", str(tmp_path / name), "--draw", str(tmp_path / "a.png"), check=2)
    assert message in " ".join(result.stderr.replace("│", "").split())


def third_symbol() -> Image.Image:
    image = drawn(SKINS["circles"])
    ImageDraw.Draw(image).polygon([(145, 135), (175, 135), (160, 105)], fill="#d02020")
    return image


def two_boards() -> Image.Image:
    image = drawn(SKINS["digits"])
    both = Image.new("RGB", (2 * image.width, image.height), "white")
    both.paste(image, (0, 0))
    both.paste(drawn(SKINS["circles"]), (image.width, 0))
    return both


@pytest.mark.usefixtures("without_workers")
def test_boards_of_a_picture_are_numbered_and_an_unsure_one_says_where(tmp_path: Path) -> None:
    both = two_boards()
    strange = third_symbol()
    both.paste(strange, (strange.width, 0))
    path, drawn_path = tmp_path / "a.png", tmp_path / "read.png"
    path.write_bytes(saved(both))
    done = invoke("check", str(path), "--draw", str(drawn_path), "--to", "ndjson", check=2)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["clues"], second["id"]) == ("1", CLUES, "2")
    assert first["picture"]["one"] == "the symbol without a hole"
    assert (second["verdict"], second["error"]["kind"]) == ("invalid", "unsure")
    found = second["picture"]
    below = [divmod(k, 6) for k, each in enumerate(found["confidence"]) if each < 0.5]
    assert [(0, 0), below] == [tuple(found["unsure"][0]), [*map(tuple, found["unsure"])]]
    # A result is read again as what it was.
    (tmp_path / "a.ndjson").write_text(done.stdout)
    again = bn.read(tmp_path / "a.ndjson", errors="keep")
    assert [each.picture and each.picture.board for each in again] == [CLUES, found["board"]]
    assert again[1].error
    assert again[1].error.kind == "unsure"
    red = (np.asarray(Image.open(drawn_path)) == (200, 20, 20)).all(axis=2)
    assert red[:, strange.width :].any()
    assert not red[:, : strange.width].any()


def many_frames() -> bytes:
    frame = drawn(SKINS["sky"])
    return saved(frame, save_all=True, append_images=[ImageOps.invert(frame)])


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "noise": (lambda: saved(noisy(Image.new("RGB", (400, 300), "gray"))), "no whole board"),
    "empty": (lambda: saved(drawn(SKINS["sky"], "." * 36, [])), "an empty board of 6x6"),
    "cut off": (lambda: saved(drawn(SKINS["digits"]).crop((160, 0, 542, 622))), "board"),
    "cut off at a line": (lambda: saved(drawn(SKINS["digits"]).crop((0, 0, 542, 377))), "board"),
    "hearts": (lambda: bn.render(CLUES, to="png", symbols="hearts"), "r1c1"),
    "third symbol": (lambda: saved(third_symbol()), "r1c1"),
    "large": (lambda: saved(Image.new("1", (10000, 10000))), "more than 40,000,000 pixels"),
    "frames": (many_frames, "an animated picture"),
    "truncated": (lambda: saved(drawn(SKINS["sky"]))[:900], "a damaged picture"),
    "HEIC": (lambda: b"\0\0\0\x1cftypheic" + bytes(500), "needs pillow-heif|a damaged picture"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_pictures_are_refused(name: str) -> None:
    make, message = BAD[name]
    with pytest.raises(SourceError, match=message):
        read_record(make())


def test_the_work_on_a_picture_of_many_boxes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    image, chance = Image.new("RGB", (1500, 1400), "white"), np.random.default_rng(7)
    for x, y in product(range(30, 1440, 30), range(30, 1340, 30)):
        if chance.random() > 0.6:
            ImageDraw.Draw(image).rectangle((x, y, x + 24, y + 24), outline="#333333")
    tried: list[object] = []
    is_drawn = lattice._is_drawn
    monkeypatch.setattr(lattice, "_is_drawn", lambda *a: tried.append(1) or is_drawn(*a))
    with pytest.raises(SourceError):
        read_record(saved(image))
    assert len(tried) <= 4 * lattice._MOST_TRIED  # both ways, as it is and straightened


def test_buttons_as_high_as_cells_are_no_part_of_a_board() -> None:
    image = drawn(SKINS["digits"])
    ImageDraw.Draw(image).rectangle((53, 590, 400, 600), "white")
    for y, x in product((519, 591), (53, 269)):
        ImageDraw.Draw(image).rectangle((x, y, x + 216, y + 72), "white", "black", 3)
    assert_right(read_record(saved(image)))


@pytest.mark.usefixtures("opaque")
def test_a_missing_symbol_is_drawn_as_a_circle() -> None:
    ones = "1.........1......1........1.....1..."
    found = read_board(saved(drawn(SKINS["circles"], ones, [])))
    drawn_on = drawing.drawn(found, {Cell(0, 1): "0", Cell(5, 5): "1"})
    again = read_board(drawing.png(drawn_on))
    assert again.board() == "10" + ones[2:-1] + "1"


@pytest.mark.parametrize("skin", ["digits", pytest.param("letters", marks=pytest.mark.slow)])
def test_a_photo_is_straightened(skin: str) -> None:
    found = read_board(photo(drawn(SKINS[skin]), 3, 9, 0.04))
    assert (found.board(entries=True), found.signs.found) == (CLUES, SIGNS)
    assert not found.unsure
    assert np.array(found.picture()["corners"]).shape == (4, 2)


def test_a_photo_of_a_rectangle() -> None:
    (generated,) = bn.generate("6x10", seed="1")
    page = Image.open(io.BytesIO(bn.render(generated, to="png")))
    found = read_board(photo(scaled(page.convert("RGB"), 2), 1, -20, 0.03))
    assert found.board() == generated.puzzle.board.cells
    assert "all are taken for clues" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_a_photo_is_read_right_or_is_unsure(seed: int) -> None:
    skin, angle = [*SKINS.values()][seed % 4], seed * 7 % 41 - 20
    with suppress(SourceError):
        found = read_board(photo(drawn(skin), seed, angle, seed % 5 * 0.025))
        is_right = (found.board(entries=True), found.signs.found) == (CLUES, SIGNS)
        assert is_right or found.unsure


@pytest.mark.parametrize("rules", ["classic", "unruly", "plus", Rules(longest_run=3)])
def test_our_own_svg_is_read_with_its_rules(rules: Any, tmp_path: Path) -> None:
    signs = tuple(Sign(*sign) for sign in SIGNS if rules == "plus")
    puzzle = Puzzle(Board(6, 6, CLUES), PRESETS.get(rules, rules), signs)
    file = tmp_path / "a.svg"
    file.write_text(bn.render(puzzle, to="svg"))
    (entry,) = formats.read_sources([str(file)])
    assert entry.puzzle == puzzle
    assert bn.check(file.read_text()).puzzle == puzzle


def test_an_svg_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    done = invoke("check", str(tmp_path / "a.svg"))
    assert done.returncode == 2
    assert "an SVG of another program; save it as PNG" in done.stderr


FOLDER = Path(os.environ.get("BINAIRO_REAL_PICTURES", ""))


@pytest.mark.skipif(
    "BINAIRO_REAL_PICTURES" not in os.environ, reason="BINAIRO_REAL_PICTURES is not set"
)
@pytest.mark.parametrize("change", [
    "none",
    *(
        pytest.param(each, marks=[pytest.mark.slow, pytest.mark.rotating])
        for each in ("60 %", "150 %", "wide", "4K", "low contrast", "2 degrees", "3 degrees")
    ),
])  # fmt: skip
def test_pictures_of_others_are_never_wrong(change: str) -> None:
    """The folder holds pictures and their puzzles (``truth.ndjson``)."""
    for line in (FOLDER / "truth.ndjson").read_text().splitlines():
        truth = json.loads(line)
        image = Image.open(FOLDER / truth["file"]).convert("RGB")
        if change != "none":
            image.thumbnail((1300, 2800))
        try:
            read = read_record(CHANGES[change](image))
        except SourceError:
            continue
        signs = sorted(map(tuple, read.get("signs", [])))
        assert (read["clues"], signs) == (truth["clues"], sorted(map(tuple, truth["signs"])))
