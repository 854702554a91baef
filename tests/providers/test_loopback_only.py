"""The guard that keeps tests on this machine does bite."""

from __future__ import annotations

import socket

import pytest


def test_another_host_is_refused_and_noted(loopback_only: list[str]) -> None:
    with pytest.raises(PermissionError), socket.socket() as outside:
        outside.connect(("192.0.2.1", 80))
    with pytest.raises(PermissionError):
        socket.getaddrinfo("example.invalid", 80)
    assert loopback_only == ["192.0.2.1", "example.invalid"]
    loopback_only.clear()


def test_this_machine_is_allowed(loopback_only: list[str]) -> None:
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
    socket.getaddrinfo("localhost", 80)
    assert loopback_only == []
