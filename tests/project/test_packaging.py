"""The metadata and types of the package, the locked versions, and the workflows."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.programs import loaded

ROOT = Path(__file__).resolve().parents[2]
STATED = tomllib.loads((ROOT / "pyproject.toml").read_text())
HOME = "https://git.example/someone/binairo_cp"
PIN = re.compile(r"^([\w.-]+)==([^\s;]+)(?: ; .*)? \\$", re.MULTILINE)
EXTRAS = STATED["project"]["optional-dependencies"]
LOCKS = sorted(ROOT.glob("requirements/*.txt"))


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    return loaded(ROOT / "setup.py")


def test_links_lead_to_the_home(hook: ModuleType) -> None:
    text = hook.readme((ROOT / "README.md").read_text(), HOME, "1.2")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 30
    assert all(each.startswith(("https://", "#")) for each in links)
    ours = [each.partition("#")[0] for each in links if each.startswith(HOME)]
    ours += [each for each in hook.urls(HOME, "1.2").values() if each != HOME]
    assert all((ROOT / each.removeprefix(f"{HOME}/blob/1.2/")).exists() for each in ours)


@pytest.mark.parametrize(
    ("home", "options", "is_refused"),
    [("", [], True), ("", ["--unpublished"], False), (HOME, [], False)],
)
def test_a_release_needs_a_home(home: str, options: list[str], is_refused: bool, tmp_path: Path):
    """The next check fails here, because the copy has no changelog."""
    (tmp_path / ".ci").mkdir()
    script = shutil.copy(ROOT / ".ci/release-check", tmp_path / ".ci")
    stated = re.sub(
        '^home = ".*"', f'home = "{home}"', (ROOT / "pyproject.toml").read_text(), flags=re.M
    )
    (tmp_path / "pyproject.toml").write_text(stated)
    (tmp_path / "CHANGELOG.md").touch()
    done = subprocess.run([script, sys.executable, *options], capture_output=True, text=True)
    assert done.returncode == 1
    wanted = "[tool.binairo-cp] home is empty" if is_refused else "CHANGELOG.md has no section"
    assert wanted in done.stderr


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_locked_versions_have_hashes_and_name_no_index(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"://|^-|^\s+-(?!-hash=sha256:[0-9a-f]{64})", text, re.MULTILINE)
    pinned = [line for line in text.splitlines() if line[0] not in "# "]
    assert pinned
    assert len(PIN.findall(text)) == len(pinned)


def names(requirements: list[str | dict[str, str]]) -> set[str]:
    """The names of requirements, with those of the extras and groups that they name."""
    found = set()
    for each in requirements:
        if isinstance(each, dict):
            found |= names(STATED["dependency-groups"][each["include-group"]])
        elif match := re.match(r"binairo-cp\[(.*)\]", each):
            for extra in match[1].split(","):
                found |= names(EXTRAS[extra])
        else:
            found.add(re.split(r"[\[<>=; ]", each)[0].lower())
    return found


@pytest.mark.parametrize(
    ("lock", "extras", "groups"),
    [("image", "service,postgres,pdf,png,parquet", []), ("test", ",".join(EXTRAS), ["test"])],
)
def test_locks_have_every_dependency(lock: str, extras: str, groups: list[str]) -> None:
    needed = names([*STATED["project"]["dependencies"], f"binairo-cp[{extras}]"])
    needed |= names([{"include-group": group} for group in groups])
    pinned = {name for name, _ in PIN.findall((ROOT / f"requirements/{lock}.txt").read_text())}
    assert needed <= pinned, "run make lock"


def test_the_image_has_what_is_tested() -> None:
    image, test = (
        dict(PIN.findall((ROOT / f"requirements/{name}.txt").read_text()))
        for name in ("image", "test")
    )
    assert image.items() <= test.items(), "run make lock"


def test_the_matrix_has_every_supported_python() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    for each in STATED["project"]["classifiers"]:
        if match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each):
            assert f'"{match[1]}"' in workflow


SCRIPT = ROOT / ".ci/check-types"
PROGRAM = ROOT / "tests/project/typed_user.py"


@pytest.mark.slow
def test_type_checkers_accept_a_users_program_and_notice_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Then mypy reads the package only once.
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    status, out = checked(SCRIPT)
    assert status == 0, out
    (tmp_path / ".ci").mkdir()
    (tmp_path / "tests/project").mkdir(parents=True)
    faulty = PROGRAM.read_text().replace("time_limit=10", 'time_limit="10"')
    (tmp_path / "tests/project/typed_user.py").write_text(faulty)
    script = tmp_path / ".ci/check-types"
    for checker in ("mypy", "pyright"):
        lines = SCRIPT.read_text().splitlines()
        script.write_text("\n".join(x for x in lines if "-m " not in x or checker in x) + "\n")
        script.chmod(0o755)
        status, out = checked(script)
        assert status == 1
        assert "time_limit" in out


def checked(script: Path) -> tuple[int, str]:
    done = subprocess.run([script, sys.executable], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr
