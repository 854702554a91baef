"""Keep a test on this machine: opening any other socket fails, and so does the test.

from tests.loopback_only import loopback_only   # in a conftest.py; autouse
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterator

import pytest

STRAYED: list[str] = []
WATCHING = [False]


def _is_loopback(host: str) -> bool:
    if host in ("localhost", "", "0.0.0.0", "::"):
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


def _watch(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: sees every connection and name look-up of the process, also those made by C code."""
    if not WATCHING[0] or event not in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        return
    if event == "socket.getaddrinfo":
        host = args[0]
    else:
        family = getattr(args[0], "family", None)
        address = args[1]
        if family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            return
        host = address[0]
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if not _is_loopback(name):
        STRAYED.append(name)
        raise PermissionError(f"a test tried to reach {name}")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def loopback_only() -> Iterator[list[str]]:
    """The hosts that were tried; a test that expects one clears the list."""
    STRAYED.clear()
    WATCHING[0] = True
    yield STRAYED
    WATCHING[0] = False
    assert STRAYED == []
