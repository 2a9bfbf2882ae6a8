"""nginx with the configuration of the docs, on free ports and with a throwaway certificate."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

CONFIGURATION = Path(__file__).parents[2] / "docs/examples/deployment/nginx.conf"
_MAIN = """
# Ignored unless the tests run as root; then another user could not read its folder.
user root;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u;
    scgi_temp_path {folder}/s;
    include {folder}/binairo.conf;
}}
"""


@dataclass(frozen=True)
class Nginx:
    """A running nginx.

    Attributes:
        port: where it answers with TLS.
        plain: where it answers without.
        certificate: the file with its certificate, which is for `localhost`.
    """

    port: int
    plain: int
    certificate: str


@contextmanager
def nginx(folder: Path, servers: list[str], changes: dict[str, str]) -> Iterator[Nginx]:
    """Start nginx. Skips the test if it is not installed.

    Args:
        folder: a folder for its files.
        servers: host and port of the two servers.
        changes: further texts of the configuration, and what stands in their place.
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "nginx is not installed"
        pytest.skip("nginx is not installed")
    folder.mkdir()
    make = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "rsa:2048"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    out = ["-out", folder / "fullchain.pem", "-keyout", folder / "privkey.pem"]
    subprocess.run([*make, *names, *out], check=True, capture_output=True)
    port, plain = _free_ports(2)
    text = CONFIGURATION.read_text()
    changes |= {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "server_name binairo.example.org;": "server_name localhost;",
        "server one:8000;": f"server {servers[0]};",
        "server two:8000;": f"server {servers[1]};",
        "/etc/nginx/tls": str(folder),
    }
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    (folder / "binairo.conf").write_text(text)
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder))
    command = [program, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"]
    process = subprocess.Popen(command)
    try:
        while True:
            assert process.poll() is None, (folder / "error.log").read_text()
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield Nginx(port, plain, str(folder / "fullchain.pem"))
    finally:
        process.terminate()
        process.wait()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
