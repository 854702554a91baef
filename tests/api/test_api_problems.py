"""Errors are problems, headers are everywhere, and OpenAPI tells the truth about both."""

from __future__ import annotations

from typing import Any

import pytest
from api_facts import Client, Tournament

from api.headers import SECURITY_HEADERS
from api.problems import pointer_to
from api.schemas import ProblemBody
from leaderboard.errors import BadInput, Busy, Conflict, LeaderboardError, NotFound, StoreDamaged
from leaderboard.home import Home
from leaderboard.settings import Settings

RAISED: list[tuple[Exception, int, str]] = [
    (BadInput("no good"), 422, "no good"),
    (Conflict("taken"), 409, "taken"),
    (NotFound("nowhere"), 404, "nowhere"),
    (
        Busy("the ledger sqlite:////srv/secret is locked"),
        503,
        "another process holds the ledger: try again in a moment",
    ),
    (StoreDamaged("broken"), 503, "broken"),
    (LeaderboardError("made by /srv/secret"), 500, "something went wrong here; the server's log says what"),
    (RuntimeError("/srv/secret"), 500, "something went wrong here; the server's log says what"),
    (ZeroDivisionError("hush"), 500, "something went wrong here; the server's log says what"),
]


@pytest.mark.parametrize(("error", "status", "detail"), RAISED, ids=[type(error).__name__ for error, _, _ in RAISED])
def test_each_error_has_its_status(client: Client, error: Exception, status: int, detail: str) -> None:
    async def fail() -> None:
        raise error

    client.app.add_api_route("/fails", fail)
    client.app.router.routes.insert(0, client.app.router.routes.pop())
    response = client.get("/fails")
    problem = ProblemBody.model_validate_json(response.text)
    assert (response.status_code, problem.status, problem.detail) == (status, status, detail)
    assert ("retry-after" in response.headers) is (status == 503)
    for name, value in SECURITY_HEADERS.items():
        assert response.headers[name] == value


UNKNOWN = [
    ("GET", "/nothing", 404),
    ("GET", "/api/v1/nothing", 404),
    ("GET", "/docs", 404),
    ("GET", "/static/nothing.css", 404),
    ("GET", "/api/v1/leaderboard/", 404),
    ("DELETE", "/api/v1/models", 405),
    ("POST", "/api/v1/leaderboard", 405),
    ("PUT", "/", 405),
]


@pytest.mark.parametrize(("method", "path", "status"), UNKNOWN)
def test_unknown_routes_and_methods_are_problems(client: Client, method: str, path: str, status: int) -> None:
    response = client.send(method, path)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert ProblemBody.model_validate_json(response.text).status == status
    assert status != 405 or response.headers["allow"]


@pytest.mark.parametrize(
    "path",
    ["/", "/api/v1/leaderboard", "/api/v1/leaderboard?x=1", "/api/v1/ratings", "/api/v1/models", "/api/v1/models/alpha",
     "/api/v1/verdicts", "/api/v1/verdicts/none", "/healthz", "/openapi.json", "/static/board.css", "/nothing"],
)  # fmt: skip
def test_head_has_the_status_and_headers_of_get_and_no_body(client: Client, path: str) -> None:
    head, get = client.send("HEAD", path), client.get(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers == get.headers
    assert int(head.headers["content-length"]) == len(get.content) > 0


@pytest.mark.parametrize("path", ["/", "/healthz", "/openapi.json", "/static/board.css", "/api/v1/models", "/nothing"])
def test_security_headers_are_on_every_answer(client: Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


def test_openapi_lists_every_refusal_as_a_problem(client: Client) -> None:
    document = client.get("/openapi.json").json()
    add = document["paths"]["/api/v1/models"]["post"]
    assert {"201", "401", "404", "409", "413", "422"} <= add["responses"].keys()
    assert add["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith("/NewModel")
    refusals = [
        answer
        for path in document["paths"].values()
        for operation in path.values()
        for status, answer in operation["responses"].items()
        if status in {"401", "404", "409", "413", "422"}
    ]
    assert len(refusals) > 10
    assert all(list(answer["content"]) == ["application/problem+json"] for answer in refusals)


def test_every_reference_in_openapi_leads_somewhere(client: Client) -> None:
    document = client.get("/openapi.json").json()
    found = list(references(document))
    assert {"#/components/schemas/ProblemBody", "#/components/schemas/NewModel"} <= set(found)
    for reference in found:
        place = document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]
    assert document == client.get("/openapi.json").json()


def references(value: Any) -> Any:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        for inner in value.values():
            yield from references(inner)
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


@pytest.mark.parametrize(("path", "pointer"), [((), ""), (("a", 0), "/a/0"), (("a/b", "c~d"), "/a~1b/c~0d")])
def test_pointers_are_escaped(path: tuple[object, ...], pointer: str) -> None:
    assert pointer_to(path) == pointer


def test_there_is_no_app_without_a_tournament(tournament: Tournament) -> None:
    from api.app import create_app

    with pytest.raises(NotFound, match="leaderboard init"):
        create_app(Home(tournament.home.path / "nowhere"), Settings())


def test_healthz_says_what_is_served(tournament: Tournament, client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok", "snapshot": None, "ledger": "ok"}
    snapshot = tournament.publish()
    assert client.get("/healthz").json() == {"status": "ok", "snapshot": snapshot.id, "ledger": "ok"}


def test_healthz_is_503_when_the_ledger_cannot_be_read(tournament: Tournament, client: Client) -> None:
    snapshot = tournament.publish()
    tournament.close()
    client.app.state.desk.ledger.close()
    for suffix in ("", "-wal", "-shm"):
        (tournament.home.path / f"ledger.sqlite{suffix}").unlink(missing_ok=True)
    (tournament.home.path / "ledger.sqlite").write_bytes(b"no database at all, but long enough to look like one" * 90)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json() == {"status": "degraded", "snapshot": snapshot.id, "ledger": "unreadable"}
    assert client.get("/api/v1/leaderboard").status_code == 200


def test_healthz_is_degraded_while_an_older_snapshot_is_served(tournament: Tournament, client: Client) -> None:
    good = tournament.publish()
    assert client.get("/healthz").json()["status"] == "ok"
    (tournament.home.snapshots / "snap-broken.duckdb").write_bytes(b"no")
    (tournament.home.snapshots / "CURRENT").write_text("snap-broken.duckdb\n")
    response = client.get("/healthz")
    assert (response.status_code, response.json()["status"], response.json()["snapshot"]) == (200, "degraded", good.id)


def test_healthz_is_503_when_there_is_nothing_to_serve(tournament: Tournament, client: Client) -> None:
    (tournament.home.snapshots / "snap-broken.duckdb").write_bytes(b"no")
    (tournament.home.snapshots / "CURRENT").write_text("snap-broken.duckdb\n")
    assert client.get("/healthz").status_code == 503
