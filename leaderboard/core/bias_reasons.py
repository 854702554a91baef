"""Why a figure of the bias report is missing, in words for the person who reads it."""

from __future__ import annotations

Json = dict[str, object]

NO_PAIRINGS = "no pairing is readable in both orders"
ONE_ORDER = "the protocol shows each pairing in one order only"
ONE_PROMPT = "needs at least 2 prompts"
ONE_SAMPLE = "needs two samples in an order"
NO_WINNER = "no reading of a pairing readable in both orders names a winner"
NO_SPREAD = "needs winners of both positions and at least 2 prompts"
NO_FLIPS = "no pairing went to one position in both orders"
NO_LEAN = "no pairing leaned to a position"
NO_READINGS = "no readable reply"
NOT_MEASURED = "not part of this report yet"


def reasons(report: Json, *, both_orders: bool, no_effect: str) -> dict[str, str]:
    """A reason for each figure that is None, by its path; an interval needs none where its value has one.

    `no_effect`: what the joint model says of a position effect, or an interval of it, that it cannot give.
    """
    pairings = NO_PAIRINGS if both_orders else ONE_ORDER
    missing = {
        "c.value": pairings,
        "c.lower": ONE_PROMPT,
        "decided_share": pairings,
        "agreement.same_order": ONE_SAMPLE,
        "agreement.cross_order": pairings,
        "agreement.excess": "needs both shares",
        "agreement.excess_lower": ONE_PROMPT,
        "first_position.share": NO_WINNER if both_orders else ONE_ORDER,
        "first_position.lower": NO_SPREAD,
        "sign_test.p_value": NO_FLIPS,
        "sign_test.lean_p_value": NO_LEAN,
        "bpde.mean": NO_READINGS,
        "position_effect.logit": no_effect,
        "position_effect.lower": no_effect,
        "labels": NOT_MEASURED,
        "by.score_gap": NOT_MEASURED,
    }
    return {path: reason for path, reason in missing.items() if _at(report, path) is None and _has_value(report, path)}


INTERVAL_OF = {
    "c.lower": "c.value",
    "agreement.excess_lower": "agreement.excess",
    "first_position.lower": "first_position.share",
    "position_effect.lower": "position_effect.logit",
}


def _has_value(report: Json, path: str) -> bool:
    return path not in INTERVAL_OF or _at(report, INTERVAL_OF[path]) is not None


def _at(report: Json, path: str) -> object:
    found: object = report
    for key in path.split("."):
        found = found[key] if isinstance(found, dict) else None
    return found
