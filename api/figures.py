"""How numbers are written on the page."""

from __future__ import annotations

from urllib.parse import quote

from leaderboard.core.fits import SCALE


def points(value: float) -> str:
    """A rating in whole Elo points."""
    return f"{value:.0f}"


def change(value: float) -> str:
    """A difference of ratings in whole Elo points, with its sign."""
    return f"{value:+.0f}".replace("-", "−")


def share(value: float) -> str:
    """A share with two decimals; what is not quite 0 or 1 is not shown as such."""
    text = f"{value:.2f}"
    return f"{value:.4f}" if text in {"0.00", "1.00"} and value not in {0, 1} else text


def chance(value: float) -> str:
    """An approximate chance. Draws find nothing impossible and nothing certain."""
    if value < 0.01:
        return "< 0.01"
    return "> 0.99" if value > 0.99 else f"≈ {value:.2f}"


def signed(value: float) -> str:
    """Logits, with their sign."""
    return f"{value:+.2f}".replace("-", "−")


def elo(logits: float) -> str:
    """Logits as Elo points, with their sign."""
    return change(logits * SCALE)


def p_value(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def whole(value: int) -> str:
    """A count, in groups of three digits."""
    return f"{value:,}"


def residual(value: float) -> str:
    """A rest near nothing, in powers of ten."""
    return f"{value:.0e}"


def dollars(value: float) -> str:
    """US dollars with two significant digits, never in powers of ten."""
    if value == 0:
        return "$0"
    digits = max(2, 1 - int(f"{value:e}".partition("e")[2]))
    return f"${value:.{digits}f}"


def moment(stamp: str) -> str:
    """An ISO time in UTC, to the second."""
    return f"{stamp[:10]} {stamp[11:19]} UTC"


def path_part(text: str) -> str:
    return quote(text, safe="")
