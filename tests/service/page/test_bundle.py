"""The files that the page is made of."""

import json
import shutil
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from binairo_cp.service import page

STATIC = Path(page.__file__).parent / "static"


def test_built_files_are_served_until_a_source_changes(tmp_path: Path) -> None:
    folder, built = tmp_path / "static", tmp_path / "built"
    shutil.copytree(STATIC, folder)
    built.mkdir()
    (built / "app.js").write_text("1")
    (built / "chunk-A.js").write_text("2")
    (built / page.SOURCES).write_text(page.digest(folder))
    new = page.read(folder, built)
    scripts = {name for name in new.files if name.endswith((".js", ".css"))}
    assert scripts == {"app.js", "chunk-A.js"}
    with (folder / "board.css").open("a") as file:
        file.write("\n")
    old = page.read(folder, built)
    assert old.files["app.js"].content == (folder / "app.js").read_bytes()
    assert {"board.css", "edit.js"} <= old.files.keys()
    assert "worker.js" not in old.files


@pytest.mark.parametrize("name", ["app.js", "index.html", "worker.js", "daily.json", "icon.svg"])
def test_the_version_changes_with_each_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "static"
    shutil.copytree(STATIC, folder)
    before = page.read(folder, tmp_path)
    with (folder / name).open("a") as file:
        file.write("\n")
    after = page.read(folder, tmp_path)
    assert before.version != after.version


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    page.install(app)
    return TestClient(app)


def test_files_are_kept_and_not_sent_again_and_the_page_is_neither(client: TestClient) -> None:
    version = page.read().version  # type: ignore[union-attr]
    kept = f"/static/{version}/app.js"
    tags = set()
    for url in ("/", "/worker.js", "/manifest.webmanifest", "/static/app.js", kept):
        whole = client.get(url)
        is_kept = "immutable" in whole.headers["cache-control"]
        assert is_kept if url == kept else whole.headers["cache-control"] == "no-cache"
        tags.add(whole.headers["etag"])
        again = client.get(url, headers={"If-None-Match": whole.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == whole.headers["cache-control"]
        assert client.get(url, headers={"If-None-Match": '"other"'}).status_code == 200
    assert len(tags) == 5
    assert client.get(kept).headers["content-type"].startswith("text/javascript")
    assert client.head(f"/static/{version}/style.css").status_code == 200


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
    wanted = {"app.js", "style.css", "phrases.json", "stock-14.json"}
    assert {Path(name).name for name in files} >= wanted
    for name in files:
        assert client.get(f"/{name}").status_code == 200


def test_a_server_without_keys_says_who_sees_its_jobs() -> None:
    for options, is_said in (
        ({}, True),
        ({"has_owners": True}, False),
        ({"alone_with": {}}, False),
    ):
        found = page.read(**options)  # type: ignore[arg-type]
        assert (b"Everyone who can reach this server" in found.top[page.PAGE].content) == is_said
