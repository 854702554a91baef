from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import make_url
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable

from leaderboard.errors import BadInput, Busy, LeaderboardError, StoreDamaged
from leaderboard.ledger import meta, schema
from leaderboard.ledger.store import Ledger, LedgerFailed, masked, open_ledger

EMPTY_BOOK = "create table alembic_version (version_num varchar(32) not null primary key)"


def migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", "leaderboard.ledger:migrations")
    config.set_main_option("path_separator", "os")
    return config


def file_of(url: str) -> str:
    path = make_url(url).database
    assert path is not None
    return path


def run_sql(url: str, *statements: str) -> None:
    connection = sqlite3.connect(file_of(url))
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def tables_of(url: str) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(file_of(url))
    rows = connection.execute("select type, name, tbl_name, sql from sqlite_master order by type, name").fetchall()
    connection.close()
    return [tuple(row) for row in rows if not row[1].startswith("alembic") and "alembic" not in row[1]]


def test_every_connection_has_its_pragmas(ledger: Ledger) -> None:
    seen: list[tuple[object, ...]] = []

    def look() -> None:
        with ledger.read() as tx:
            names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
            seen.append(tuple(tx.exec_driver_sql(f"pragma {name}").scalar() for name in names))
            together.wait(timeout=20)

    together = threading.Barrier(4)
    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [("wal", 2, 30_000, 1)] * 4


def test_a_write_takes_the_lock_before_its_first_statement(ledger: Ledger, url: str) -> None:
    other = sqlite3.connect(file_of(url), timeout=0, isolation_level=None)
    with ledger.write(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("begin immediate")
    other.execute("begin immediate")
    other.close()


def test_a_lock_that_is_never_released_is_told(ledger: Ledger, url: str) -> None:
    with ledger.read() as tx:
        tx.exec_driver_sql("pragma busy_timeout = 50")  # this connection goes back to the pool and is taken again
    other = sqlite3.connect(file_of(url), isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(Busy, match="by another process"), ledger.write():
        pass
    other.execute("commit")
    other.close()
    with ledger.write() as tx:
        meta.put(tx, "k", "1")


def test_a_read_goes_on_beside_a_write_and_sees_one_state(ledger: Ledger) -> None:
    with ledger.read() as reading:
        assert meta.get(reading, "k") is None
        with ledger.write() as tx:
            meta.put(tx, "k", "1")
        assert meta.get(reading, "k") is None
    with ledger.read() as reading:
        assert meta.get(reading, "k") == "1"


def test_a_read_cannot_write(ledger: Ledger) -> None:
    with ledger.read() as tx, pytest.raises(OperationalError, match="readonly"):
        meta.put(tx, "k", "1")
    with ledger.write() as tx:
        meta.put(tx, "k", "2")


def test_a_write_that_raises_leaves_nothing(ledger: Ledger) -> None:
    def write_and_raise() -> None:
        with ledger.write() as tx:
            meta.put(tx, "k", "1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_raise()
    with ledger.read() as tx:
        assert meta.get(tx, "k") is None


def test_meta_keeps_the_last_value(ledger: Ledger) -> None:
    with ledger.write() as tx:
        meta.put(tx, "k", "1")
        meta.put(tx, "k", "2")
        assert (meta.get(tx, "k"), meta.get(tx, "other")) == ("2", None)


def test_a_fresh_ledger_is_made_without_alembic(url: str) -> None:
    program = (
        "import sys; from leaderboard.ledger.store import open_ledger; "
        f"open_ledger({url!r}).close(); open_ledger({url!r}).close(); print('alembic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_the_recorded_revision_is_the_newest_script() -> None:
    assert ScriptDirectory.from_config(migrations()).get_current_head() == schema.REVISION


def test_migrating_and_creating_give_the_same_tables(tmp_path: Path) -> None:
    created, migrated = (f"sqlite:///{tmp_path / name}" for name in ("created", "migrated"))
    open_ledger(created).close()
    run_sql(migrated, EMPTY_BOOK)
    ledger = open_ledger(migrated)
    assert tables_of(migrated) == tables_of(created)
    assert {row[1] for row in tables_of(created)} >= set(schema.metadata.tables)
    with ledger.write() as tx:
        assert compare_metadata(MigrationContext.configure(tx), schema.metadata) == []
    ledger.close()


def test_a_migration_can_be_taken_back(ledger: Ledger, url: str) -> None:
    config = migrations()
    with ledger.write() as tx:
        config.attributes["connection"] = tx
        command.downgrade(config, "base")
    assert tables_of(url) == []
    open_ledger(url).close()
    assert tables_of(url)


def test_an_upgrade_keeps_what_is_there_and_is_done_once(url: str) -> None:
    run_sql(url, EMPTY_BOOK)
    ledger = open_ledger(url)
    with ledger.write() as tx:
        meta.put(tx, "k", "kept")
    ledger.close()
    again = open_ledger(url)
    with again.read() as tx:
        assert meta.get(tx, "k") == "kept"
    again.close()


def test_a_newer_ledger_is_refused_and_left_alone(url: str) -> None:
    open_ledger(url).close()
    run_sql(url, "update alembic_version set version_num = '9999'")
    before = tables_of(url)
    with pytest.raises(LeaderboardError, match=r"newer leaderboard \(revision 9999"):
        open_ledger(url)
    assert tables_of(url) == before


def test_a_database_of_another_program_is_refused(url: str) -> None:
    run_sql(url, "create table customers (id integer)")
    with pytest.raises(BadInput, match="another program"):
        open_ledger(url)
    assert [row[1] for row in tables_of(url)] == ["customers"]


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is not a database, whatever its name says\n" * 100)
    with pytest.raises(LeaderboardError, match=r"text: file is not a database"):
        open_ledger(f"sqlite:///{tmp_path / 'text'}")
    with pytest.raises(LeaderboardError, match=r"no/such/folder: unable to open"):
        open_ledger(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder'}")


def test_a_ledger_that_was_overwritten_is_told_in_two_lines(ledger: Ledger, url: str) -> None:
    ledger.close()
    with Path(file_of(url)).open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 4000)
    with pytest.raises(StoreDamaged, match="malformed") as refused:
        open_ledger(url)
    assert len(str(refused.value).splitlines()) == 2


def test_what_a_statement_says_leaves_as_a_refusal_with_its_cause(ledger: Ledger) -> None:
    with pytest.raises(LedgerFailed, match="no such table: nowhere") as refused, ledger.write() as tx:
        tx.exec_driver_sql("insert into nowhere values ('a secret')")
    assert "a secret" not in str(refused.value)
    assert isinstance(refused.value.__cause__, OperationalError)
    with pytest.raises(LedgerFailed, match="too large"), ledger.write() as tx:
        tx.exec_driver_sql("insert into meta values (?, ?)", ("k", 2**63))
    with ledger.write() as tx:
        meta.put(tx, "k", "still writable")


@pytest.mark.parametrize("url", ["", "ledger.sqlite", "sqlite://", "sqlite:///:memory:", "nosuch://host/db"])
def test_urls_that_cannot_be_a_ledger(url: str) -> None:
    with pytest.raises(BadInput, match="ledger"):
        open_ledger(url)


def test_no_secret_is_shown() -> None:
    url = make_url("postgresql://me:hunter2@host/db?sslpassword=hunter3&sslmode=require")
    assert masked(url) == "postgresql://me:***@host/db?sslmode=require&sslpassword=hidden"


def test_the_url_is_shown(ledger: Ledger, url: str) -> None:
    assert (ledger.url, repr(ledger)) == (url, f"Ledger({url!r})")


def test_the_tables_can_be_made_in_postgresql() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for table in schema.metadata.sorted_tables:
        made = str(CreateTable(table).compile(dialect=dialect))
        assert "JSON" not in made
        assert "BIGINT" in made or table.name not in {"requests", "attempts", "budgets"}
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect)).startswith("CREATE")


def test_foreign_words_lose_their_nul_only_where_it_cannot_be_kept(ledger: Ledger) -> None:
    words = schema.Words()
    assert words.process_bind_param("a\0\ud83d", postgresql.dialect()) == "a\ufffd\ufffd"  # type: ignore[no-untyped-call]
    with ledger.read() as tx:
        assert words.process_bind_param("a\0\ud83d", tx.dialect) == "a\0\ufffd"
        assert words.process_bind_param(None, tx.dialect) is None
