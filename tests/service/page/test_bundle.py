"""The files that the page is made of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from binairo_cp.service import page

STATIC = Path(page.__file__).parent / "static"


def joined(folder: Path, **modules: str) -> str:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return page.bundle(folder / "a.js")


def test_modules_are_joined_in_the_order_of_their_imports(tmp_path: Path) -> None:
    text = joined(
        tmp_path,
        a='import { one as uno,\n  Two } from "./b.js";\nimport * as c from "./c.js";\nc.f(uno, Two);\n',
        b='import { f } from "./c.js";\n// A comment.\nexport const one = f(1);\nexport class Two {}\n',
        c="export async function* g() {}\nexport function f(x) { return x; }\nexport async function h() {}\n",
    )
    assert text == (
        "const $c = (() => {\nasync function* g() {}\nfunction f(x) { return x; }\n"
        "async function h() {}\nreturn { g, f, h };\n})();\n"
        "const $b = (() => {\nconst { f } = $c;\nconst one = f(1);\nclass Two {}\nreturn { one, Two };\n})();\n"
        "const $a = (() => {\nconst { one: uno,\nTwo } = $b;\nconst c = $c;\nc.f(uno, Two);\n"
        "return {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('import b from "./b.js";\n', "not understood"),
        ('import { b } from "../b.js";\n', "not understood"),
        ("export default 1;\n", "not understood"),
        ("export let x = 1;\n", "not understood"),
        ("export { x };\n", "not understood"),
        ('const b = await import("./b.js");\n', "not understood"),
        ("const x = `one\n  two`;\n", "not understood"),
        ('import { a } from "./a.js";\n', "import each other: a -> a"),
    ],
)
def test_what_is_not_understood_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(page.BundleError, match=message):
        joined(tmp_path, a=text)


@pytest.mark.parametrize("name", ["app.js", "index.html", "worker.js", "daily.json", "icon.svg"])
def test_the_version_changes_with_each_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "static"
    shutil.copytree(STATIC, folder)
    before = page.read(folder)
    with (folder / name).open("a") as file:
        file.write("\n")
    after = page.read(folder)
    assert before
    assert after
    assert before.version != after.version


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    page.install(app)
    return TestClient(app)


def test_files_are_kept_and_the_page_is_not(client: TestClient) -> None:
    version = page.read().version  # type: ignore[union-attr]
    for url in ("/", "/worker.js", "/manifest.webmanifest", "/static/app.js"):
        assert client.get(url).headers["cache-control"] == "no-cache"
    response = client.get(f"/static/{version}/app.js")
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["content-type"].startswith("text/javascript")
    assert client.head(f"/static/{version}/style.css").status_code == 200


def test_files_that_a_browser_has_are_not_sent_again(client: TestClient) -> None:
    version = page.read().version  # type: ignore[union-attr]
    tags = set()
    for name in ("", "worker.js", "manifest.webmanifest", f"static/{version}/app.js"):
        whole = client.get(f"/{name}")
        tags.add(whole.headers["etag"])
        again = client.get(f"/{name}", headers={"If-None-Match": whole.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == whole.headers["cache-control"]
        assert client.get(f"/{name}", headers={"If-None-Match": '"other"'}).status_code == 200
    assert len(tags) == 4


def test_the_manifest_names_files_of_their_sizes(client: TestClient) -> None:
    manifest = client.get("/manifest.webmanifest").json()
    purposes = set()
    for icon in manifest["icons"]:
        response = client.get(f"/{icon['src']}")
        assert response.headers["content-type"] == icon["type"]
        purposes.add(icon.get("purpose"))
        if icon["type"] == "image/png":
            with Image.open(STATIC / Path(icon["src"]).name) as image:
                assert icon["sizes"] == f"{image.width}x{image.height}"
    assert purposes == {None, "maskable"}
    assert {manifest["display"], manifest["start_url"], manifest["scope"]} == {"standalone", "./"}


def test_the_service_worker_keeps_all_files(client: TestClient) -> None:
    text = client.get("/worker.js").text
    line = next(line for line in text.splitlines() if line.startswith("const FILES = "))
    files = json.loads(line.removeprefix("const FILES = ").removesuffix(";"))
    assert {Path(name).name for name in files} >= {
        "app.js",
        "style.css",
        "phrases.json",
        "stock-14.json",
    }
    for name in files:
        assert client.get(f"/{name}").status_code == 200


def test_style_sheets_are_joined_in_the_order_of_their_imports(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text('@import "./b.css";\n@import "./c.css";\n.a {}\n')
    (tmp_path / "b.css").write_text('@import "./c.css";\n.b {}\n')
    (tmp_path / "c.css").write_text(".c {}\n")
    assert page.styles(tmp_path / "a.css") == ".c {}\n.b {}\n.c {}\n.a {}\n"
