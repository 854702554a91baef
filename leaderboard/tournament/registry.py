"""New contestants and judges: what an operator gives becomes a checked, frozen value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from leaderboard.core.keys import judge_fingerprint
from leaderboard.core.protocol import PROTOCOLS
from leaderboard.core.templates import FAMILIES
from leaderboard.core.types import Endpoint, Judge, Model, Price
from leaderboard.errors import BadInput
from leaderboard.providers.routes import check_api_base, check_params, check_route, key_variable

DEFAULT_MAX_TOKENS = 2048
JUDGE_TEMPERATURE = 1.0
MOST_USD = 1_000_000
MOST_ZEROS, MOST_DECIMALS = 6, 12
SHOWN = 40
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to reach a model and what to send it, as the operator writes it. Prices are USD per million tokens."""

    litellm: str
    api_base: str | None = None
    api_key_env: str | None = None
    api_version: str | None = None
    region: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    input_price: str | None = None
    output_price: str | None = None
    price_as: str | None = None
    strict: bool = False


def new_endpoint(wish: Wish, *, temperature: float | None = None) -> Endpoint:
    """A checked endpoint, its parameters not yet resolved. `temperature` is the default where none is wished."""
    check_route(wish.litellm)
    price = _price(wish)
    return Endpoint(
        litellm=wish.litellm.strip(),
        api_base=_checked_url(wish.api_base),
        api_key_env=_checked_variable(wish.api_key_env),
        api_version=_checked_line("api_version", wish.api_version),
        region=_checked_line("region", wish.region),
        wanted=_wanted(wish, temperature),
        strict=wish.strict,
        price=price,
        price_source="operator" if price else None,
        price_as=wish.price_as,
        simulated=wish.litellm.startswith("sim/"),
    )


def _wanted(wish: Wish, default_temperature: float | None) -> dict[str, object]:
    """The parameters by name. The two that have a field of their own may stand among `params` too, not in both."""
    check_params(wish.params)
    for name, value in wish.params.items():
        _require_finite(name, value)
    temperature = _one("temperature", wish.temperature, wish.params, default_temperature)
    max_tokens = _one("max_tokens", wish.max_tokens, wish.params, DEFAULT_MAX_TOKENS)
    if temperature is not None and not 0 <= temperature <= 2:
        raise BadInput(f"temperature {temperature:g}: it lies between 0 and 2")
    if max_tokens is None or not 1 <= max_tokens <= 1_000_000 or max_tokens != int(max_tokens):
        raise BadInput(f"max_tokens {max_tokens}: a whole number between 1 and 1000000")
    wanted = {**wish.params, "max_tokens": int(max_tokens)}
    return wanted if temperature is None else {**wanted, "temperature": temperature}


def _one(name: str, field: float | None, params: Mapping[str, object], default: float | None) -> float | None:
    among = params.get(name)
    if field is not None and among is not None:
        raise BadInput(f"{name}: given twice, as a field and as a param")
    value = field if among is None else among
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{name} {value!r}: not a number")
    return value


def _require_finite(name: str, value: object) -> None:
    """JSON has no NaN and no infinity, however deep they stand."""
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"param {name}: {value} is not a finite number")
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inside:
        _require_finite(name, each)


def _price(wish: Wish) -> Price | None:
    if wish.input_price is None and wish.output_price is None:
        return None
    if wish.input_price is None or wish.output_price is None:
        raise BadInput("price: give both input_price and output_price (USD per million tokens), or neither")
    if wish.price_as is not None:
        raise BadInput("price: give either the two prices or price_as, not both")
    return price_of(wish.input_price, wish.output_price)


def price_of(input_price: str, output_price: str) -> Price:
    """USD per million tokens read and written; 0 is free. Raises BadInput for anything but two plain amounts."""
    return Price(_amount("input_price", input_price), _amount("output_price", output_price))


def _amount(name: str, text: str) -> Decimal:
    shown = text[:SHOWN]
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise BadInput(f"{name} {shown!r}: not a number of USD per million tokens") from None
    if not _is_writable(amount) or not 0 <= amount <= MOST_USD:
        raise BadInput(f"{name} {shown}: it lies between 0 and {MOST_USD} USD, with at most {MOST_DECIMALS} decimals")
    return amount


def _is_writable(amount: Decimal) -> bool:
    """Whether exact sums with it stay short: one with 1e-9999999 would have ten million digits."""
    exponent = amount.as_tuple().exponent
    return isinstance(exponent, int) and -MOST_DECIMALS <= exponent <= MOST_ZEROS


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in {"http", "https"} and parts.hostname and not (parts.username or parts.password)
    except ValueError:
        usable = False
    if not usable:
        shown = "" if "@" in url else f" {url!r}"
        raise BadInput(f"api_base{shown}: give an http(s) address without a password, like http://127.0.0.1:8080/v1")
    check_api_base(url.strip())
    return url.strip()


def _checked_line(name: str, text: str | None) -> str | None:
    if text is not None and (not text.strip() or not text.isprintable()):
        raise BadInput(f"{name} {text!r}: one line of text, or leave it out")
    return text


def _checked_variable(name: str | None) -> str | None:
    if name is not None and not VARIABLE_NAME.fullmatch(name):
        raise BadInput("api_key_env: give the NAME of an environment variable, never the key itself")
    return name


def parse_params(items: Iterable[str]) -> dict[str, object]:
    """`k=v` items; a value that is JSON is taken as such, any other as text."""
    params: dict[str, object] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals or not name.strip().isidentifier():
            raise BadInput(f"param {item!r}: write it as name=value")
        params[name.strip()] = _json_or_text(text)
    return params


def _json_or_text(text: str) -> object:
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value


def new_model(
    model_id: str, wish: Wish, *, system: str | None, family: str | None, environ: Mapping[str, str], now: str
) -> Model:
    """A contestant that plays, or sleeps when the variable of its key is not set."""
    model = Model(id=model_id, endpoint=new_endpoint(wish), system=system, family=family, created_at=now)
    return roused(model, environ)


def roused(model: Model, environ: Mapping[str, str]) -> Model:
    """The model awake when its key is there, asleep with the reason when it is not; other states stay."""
    if model.endpoint is None or model.state not in {"active", "asleep"}:
        return model
    missing = missing_key(model.endpoint, environ)
    if missing:
        return replace(model, state="asleep", reason=f"{missing} is not set")
    return replace(model, state="active", reason=None)


def missing_key(endpoint: Endpoint, environ: Mapping[str, str]) -> str | None:
    """The environment variable that the endpoint needs and that is empty; a server of one's own may need none."""
    if endpoint.api_key_env is not None:
        return None if environ.get(endpoint.api_key_env) else endpoint.api_key_env
    if endpoint.api_base is not None:
        return None
    variable = key_variable(endpoint.litellm)
    return variable if variable and not environ.get(variable) else None


def new_judge(
    judge_id: str,
    wish: Wish,
    *,
    template: str,
    protocol: str,
    samples: int,
    rubric: str | None,
    system: str | None,
    family: str | None,
    now: str,
) -> Judge:
    """A judge whose parameters are not yet resolved, so it has no fingerprint yet."""
    _require_known("template", template, sorted(FAMILIES))
    _require_known("protocol", protocol, sorted(PROTOCOLS))
    if not 1 <= samples <= 100:
        raise BadInput(f"samples {samples}: between 1 and 100")
    return Judge(
        id=judge_id,
        endpoint=new_endpoint(wish, temperature=JUDGE_TEMPERATURE),
        template=template,
        rubric=rubric,
        system=system,
        family=family,
        protocol=protocol,
        samples=samples,
        created_at=now,
    )


def _require_known(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise BadInput(f"{what} {name!r} is not known; choose one of: {', '.join(known)}")


def fingerprinted(judge: Judge) -> Judge:
    """The judge with the fingerprint of what it is now: endpoint, parameters as sent, wording, rubric."""
    digests = [template.digest for template in FAMILIES[judge.template].values()]
    return replace(judge, fingerprint=judge_fingerprint(judge.endpoint, digests, judge.rubric, judge.system))
