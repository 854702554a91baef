"""A real language model behind an OpenAI-compatible server on loopback. Prints its address when it is ready."""

from __future__ import annotations

import signal
import socket
import sys


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main(weights: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_parallel = 4
    params.n_ctx = 4 * 2048
    params.cpuparams.n_threads = 2
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    params.model_alias = {"smol"}
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - the parent reads it
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    main(sys.argv[1])
