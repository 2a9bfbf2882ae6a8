"""Builds of the package in all ways: without a C compiler, with one that fails, and with checks."""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from binairo_cp import kernels

ROOT = Path(__file__).resolve().parents[2]
PUZZLE = "..1....0..10.0.."
CALL = "import sys; sys.path.insert(0, 'build_tools'); import backend; print(backend."
IGNORED = shutil.ignore_patterns(
    ".*", "build", "dist", "*.egg-info", "__pycache__", "*.so", "*.pyd"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the repository without compiled code."""
    return Path(shutil.copytree(ROOT, tmp_path / "source", ignore=IGNORED))


def run(folder: Path, *command: object, **variables: object) -> str:
    """Run Python in a folder, with some variables of the environment changed; its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BINAIRO_")}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=kept | {name: str(value) for name, value in variables.items()},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_compiled(file: str) -> bool:
    return file.endswith((".so", ".pyd"))


def unpacked(folder: Path) -> tuple[str, list[str]]:
    """Unpack the wheel in a folder; its name, and those of the extension modules in it."""
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
        return wheel.name, [*filter(is_compiled, archive.namelist())]


@pytest.mark.parametrize(("variables", "is_asked_for"), [
    ({"CC": "no-such-compiler"}, True),
    ({"CC": sys.executable}, False),
    ({"CC": "no-such-compiler", "BINAIRO_BUILD": "none"}, False),
])  # fmt: skip
def test_a_compiler_is_asked_for_where_there_is_none(variables: dict[str, str], is_asked_for: bool):
    calls = f"{CALL}_compiler(), flush=True); {CALL}get_requires_for_build_editable())"
    wheel, *_, editable = run(ROOT, "-c", calls, **variables).splitlines()
    assert ("ziglang" in wheel) == ("ziglang" in editable) == is_asked_for


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "tag"),
    [({"BINAIRO_BUILD": "none"}, "py3-none-any"), ({"CC": "false"}, "cp311-abi3")],
)
def test_the_package_works_without_compiled_code(
    variables: dict[str, str], tag: str, source: Path, tmp_path: Path
) -> None:
    """Either because it is not wanted, or because the compiler fails."""
    run(source, "-c", f"{CALL}build_wheel({str(tmp_path)!r}))", **variables)
    name, compiled = unpacked(tmp_path)
    assert tag in name
    assert not compiled
    shutil.rmtree(source)
    assert "install a C compiler" in run(tmp_path, "-m", "binairo_cp", "--version")
    assert "unique" in run(tmp_path, "-m", "binairo_cp", "check", PUZZLE, "-q")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="Windows has no cc to hide")
def test_zig_compiles_where_there_is_no_compiler(source: Path, tmp_path: Path) -> None:
    """As pip builds the package, with zig from its index."""
    caches = {f"ZIG_{kind}_CACHE_DIR": tmp_path / "zig" for kind in ("LOCAL", "GLOBAL")}
    wheel = ("-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, source)
    run(tmp_path, *wheel, CC="no-such-compiler", **caches)
    _, compiled = unpacked(tmp_path)
    assert compiled
    version = run(tmp_path, "-m", "binairo_cp", "--version")
    assert "slower" not in version
    assert "unique" in run(tmp_path, "-m", "binairo_cp", "check", PUZZLE, "-q")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="qemu-user is not installed")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="Python is not for x86-64")
@pytest.mark.parametrize(
    ("processor", "level"), [("Nehalem", 2), ("Haswell", 3), ("Haswell,-abm", 2)]
)
def test_older_processors_find_the_same(processor: str, level: int) -> None:
    """Without ABM there is no LZCNT, and the code for level 3 would find other bits."""
    puzzles = ROOT / "benchmarks" / "data" / "irreducible-10x10.line"
    emulator = ("qemu-x86_64", "-cpu", processor)

    def output(*words: object, emulator: tuple[str, ...] = emulator) -> str:
        command = [*emulator, sys.executable, *map(str, words)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    show_level = "from binairo_cp.kernels import processor; print(processor.LEVEL)"
    assert output("-c", show_level) == f"{level}\n"
    for verb in ("check", "grade"):
        # Three times, since few puzzles are decided without lanes.
        ask = ("-m", "binairo_cp", verb, *[puzzles] * 3, "--to", "line", "-q")
        assert output(*ask) == output(*ask, emulator=())


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="the sanitizers are preloaded as on Linux")
@pytest.mark.parametrize(
    ("how", "mark"), [("checked", b"Out of bounds on buffer"), ("sanitized", b"__asan_init")]
)
def test_checked_code_has_no_faults(how: str, mark: bytes, source: Path) -> None:
    """The tests of the kernels, and fuzz targets of all that read what users send."""
    run(source, "setup.py", "-q", "build_ext", "--inplace", BINAIRO_BUILD=how)
    built = [*filter(is_compiled, map(str, source.rglob("*")))]
    assert all(mark in Path(file).read_bytes() for file in built if "compiled_v2" in file)
    variables = {"ASAN_OPTIONS": "detect_leaks=0"}
    if how == "sanitized":
        libraries = [
            subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True)
            for name in ("libasan.so", "libubsan.so")
        ]
        variables["LD_PRELOAD"] = ":".join(each.stdout.strip() for each in libraries)
    others = [f"--ignore=tests/kernels/test_{name}.py" for name in ("builds", "both")]
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "tests/kernels")
    assert " passed" in run(source, *tests, *others, **variables)
    fuzz = (*tests[:-2], "slow and not rotating", "tests/fuzz/test_fuzz.py")
    assert " passed" in run(source, *fuzz, **variables)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the extension modules, which `kernels` takes for its own."""
    for file in filter(is_compiled, map(str, kernels._HERE.rglob("*"))):
        copy = tmp_path / Path(file).relative_to(kernels._HERE)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(file, copy)
    monkeypatch.setattr(kernels, "_HERE", tmp_path)
    return tmp_path


def test_compiled_code_runs(copied: Path) -> None:
    assert kernels.why_uncompiled() is None
    assert str(copied / "compiled_v2") in kernels._folders()


@pytest.mark.parametrize(
    ("level", "reason"), [(1, "the processor has no popcnt and SSE4.2"), (2, None), (3, None)]
)
def test_an_old_processor_runs_the_sources(
    level: int, reason: str | None, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = len([*copied.glob("compiled_v2/*")])
    processor = SimpleNamespace(LEVEL=level, KERNELS=number)
    monkeypatch.setitem(sys.modules, "binairo_cp.kernels.processor", processor)
    assert [Path(each).name[-2:] for each in kernels._folders()] == ["v3", "v2"][3 - level :]
    assert kernels.why_uncompiled() == reason


def test_kernels_of_another_python_machine_or_version_are_not_loaded(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = copied.glob("compiled_v2/bitboard.*")
    other = file.rename(file.with_name("bitboard.cpython-39-x86_64-linux-gnu.so"))
    assert "1 of" in str(kernels.why_uncompiled())
    other.rename(file)
    for processor in (None, SimpleNamespace(LEVEL=2)):
        monkeypatch.setitem(sys.modules, "binairo_cp.kernels.processor", processor)
        assert "can't be loaded" in str(kernels.why_uncompiled())
    for each in copied.rglob(f"*{sysconfig.get_config_var('SHLIB_SUFFIX') or '.pyd'}"):
        each.unlink()
    assert "install a C compiler" in str(kernels.why_uncompiled())


def test_what_a_compiler_says_is_told(tmp_path: Path) -> None:
    """The first error, with the compiler's name: pip shows it with ``-v``."""
    compiler = tmp_path / "old-cc"
    compiler.write_text("#!/bin/sh\necho one >&2\necho 'cc: error: unknown -mavx2' >&2\nexit 1\n")
    compiler.chmod(0o755)
    call = "import sys; sys.path.insert(0, 'build_tools'); import kernels; print(kernels._complaint"
    said = run(ROOT, "-c", f"{call}(['-mavx2']))", CC=compiler)
    assert said == f"{compiler} -mavx2 fails: cc: error: unknown -mavx2\n"
    assert "no-such-compiler can't run" in run(ROOT, "-c", f"{call}([]))", CC="no-such-compiler")
