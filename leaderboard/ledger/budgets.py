"""What a run may spend, has spent and has set aside, in nano-dollars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from leaderboard.ledger.registry import chunks
from leaderboard.ledger.schema import budgets


@dataclass(slots=True)
class Budget:
    """The money of one scope (a run), in nano-dollars.

    `spent` is settled plus unknown; `unknown` is what may or may not have been billed. `cap` None: no limit.
    Reservations and charges are booked here and stored by `write`.
    """

    scope: str
    cap_nano: int | None = None
    reserved_nano: int = 0
    spent_nano: int = 0
    unknown_nano: int = 0
    stored: bool = False

    def hold(self, nano: int | None) -> bool:
        """Set the money aside; False if the cap leaves no room. An unknown price (None) fits under no cap."""
        if self.cap_nano is not None and (nano is None or self.committed + nano > self.cap_nano):
            return False
        self.reserved_nano += nano or 0
        return True

    def charge(self, reserved: int | None, cost: int | None, unknown: bool) -> None:
        """Give back a reservation and book the cost, as unknown if nobody knows whether it was billed."""
        self.reserved_nano -= reserved or 0
        self.spent_nano += cost or 0
        self.unknown_nano += (cost or 0) if unknown else 0

    @property
    def committed(self) -> int:
        return self.spent_nano + self.reserved_nano


def set_budget(tx: Connection, run: str, cap_nano: int | None) -> None:
    """Cap what this run may spend in all, None for no cap. What it has spent stays."""
    changed = tx.execute(update(budgets).where(budgets.c.scope == run).values(cap_nano=cap_nano))
    if changed.rowcount == 0:
        write(tx, [Budget(run, cap_nano)])


def budget(tx: Connection, run: str) -> Budget:
    """The run's money; zeroes without a cap if none was set or spent."""
    return load(tx, [run])[run]


def load(tx: Connection, scopes: Iterable[str]) -> dict[str, Budget]:
    """The budgets of these scopes, locked until the transaction ends where the database locks rows."""
    wanted = sorted(set(scopes))
    found = {scope: Budget(scope) for scope in wanted}
    for part in chunks(wanted):
        query = select(budgets).where(budgets.c.scope.in_(part)).order_by(budgets.c.scope).with_for_update()
        found.update({row["scope"]: Budget(**row, stored=True) for row in tx.execute(query).mappings()})
    return found


def write(tx: Connection, changed: Iterable[Budget]) -> None:
    """Store these budgets as they are now."""
    changed = list(changed)
    fresh = [_values(each) for each in changed if not each.stored]
    known = [{"at_scope": each.scope, **_values(each)} for each in changed if each.stored]
    if fresh:
        tx.execute(insert(budgets), fresh)
    if known:
        tx.execute(update(budgets).where(budgets.c.scope == bindparam("at_scope")), known)


def _values(each: Budget) -> dict[str, str | int | None]:
    return {
        "scope": each.scope,
        "cap_nano": each.cap_nano,
        "reserved_nano": each.reserved_nano,
        "spent_nano": each.spent_nano,
        "unknown_nano": each.unknown_nano,
    }
