"""The settings of a tournament: flags > environment (LEADERBOARD_…) > tournament.toml > defaults."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from leaderboard.errors import BadInput
from leaderboard.schedules import Schedule

ENVIRONMENT = "LEADERBOARD_"
A_DAY = 86_400.0
MOST_USD = Decimal(1_000_000_000)
WORDING = {"Value error, ": "", "Input should be": "must be", "valid tuple": "list", "valid string": "text"}


class Settings(BaseModel):
    """Every setting of a tournament with its default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int = 0
    judge: str | None = None
    top_k: int = Field(default=5, ge=1)
    samples: int | None = Field(default=None, ge=1, le=100)
    prompts: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=16, ge=1, le=1000)
    call_timeout: float = Field(default=120.0, gt=0, le=A_DAY)
    max_attempts: int = Field(default=5, ge=1, le=50)
    retry_ceiling: float = Field(default=300.0, gt=0, le=A_DAY)
    budget: Decimal | None = Field(default=None, ge=0, le=MOST_USD)
    keep_eps: float = Field(default=0.01, gt=0, lt=1)
    keep_cap: int | None = Field(default=None, ge=1)
    gate: Literal["warn", "block"] = "warn"
    gate_threshold: float = Field(default=0.85, gt=0, lt=1)
    allowed_api_bases: tuple[str, ...] = ()
    publish_every: float = Field(default=1.0, gt=0, le=A_DAY)
    schedule: tuple[Schedule, ...] = ()

    @field_validator("schedule")
    @classmethod
    def _names_differ(cls, value: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
        """A run says by name which schedule has started it, and the newer of two would take the older one's place."""
        names = [schedule.name for schedule in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the name {name!r} is given to more than one schedule")
        return value

    @property
    def cap(self) -> int:
        """At most so many models are kept for validation."""
        return self.keep_cap or 2 * self.top_k


class _Surrounded(Settings, BaseSettings):
    """Settings with the environment laid over what is passed in. A class of its own: flags lie above both."""

    model_config = SettingsConfigDict(env_prefix=ENVIRONMENT, extra="forbid", frozen=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return env_settings, init_settings


def load_settings(file: Path, flags: Mapping[str, object] | None = None) -> Settings:
    """Settings of a home. Raises BadInput that names the flag, the variable, or the file with its line or field."""
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    try:
        below = _Surrounded(**read_toml(file))  # type: ignore[arg-type]
        return Settings.model_validate({**below.model_dump(), **given})
    except ValidationError as error:
        raise BadInput(_first_problem(file, given, error)) from None
    except SettingsError as error:
        raise BadInput(f"an environment variable {ENVIRONMENT}… must be JSON: {error}") from None


def read_toml(file: Path) -> dict[str, object]:
    """The file's content; an absent file is empty. Raises BadInput with file and line."""
    if not file.exists():
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: not valid TOML: {error}") from None


def _first_problem(file: Path, flags: Mapping[str, object], error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    name, *inside = [str(part + 1) if isinstance(part, int) else part for part in problem["loc"]] or ["schedule"]
    if problem["type"] == "extra_forbidden" and not inside:
        return f"{file}: unknown setting {name!r}; {_meant(name)}"
    message = problem["msg"]
    for technical, plain in WORDING.items():
        message = message.replace(technical, plain)
    return f"{' '.join([_place(file, flags, name), *inside])}: {message}"


def _place(file: Path, flags: Mapping[str, object], name: str) -> str:
    """Where the value of a setting came from."""
    if name in flags:
        return f"--{name.replace('_', '-')}"
    variable = f"{ENVIRONMENT}{name.upper()}"
    return variable if variable in os.environ else f"{file}: {name}"


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(Settings.model_fields)}"
