"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HomeOption = Annotated[
    Path, typer.Option("--home", envvar="LEADERBOARD_HOME", help="Folder of the tournament.", show_envvar=True)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
JudgeOption = Annotated[str | None, typer.Option("--judge", help="Id of the judge.")]

DEFAULT_HOME = Path(".leaderboard")

LitellmOption = Annotated[str, typer.Option("--litellm", help="Provider and model, as litellm names them.")]
ApiBaseOption = Annotated[str | None, typer.Option("--api-base", help="Address of your own server or proxy.")]
KeyOption = Annotated[
    str | None, typer.Option("--api-key-env", help="NAME of the environment variable that holds the key.")
]
VersionOption = Annotated[
    str | None, typer.Option("--api-version", help="Version of the API, where the provider has several.")
]
RegionOption = Annotated[str | None, typer.Option("--region", help="Region of the provider, for example eu-west-1.")]
TemperatureOption = Annotated[float | None, typer.Option("--temperature", help="0 to 2. The provider's own without.")]
MaxTokensOption = Annotated[int | None, typer.Option("--max-tokens", help="Longest reply. Default 2048.")]
SystemOption = Annotated[str | None, typer.Option("--system", help="System text.")]
FamilyOption = Annotated[str | None, typer.Option("--family", help="Model family: a judge of the same one is flagged.")]
ParamOption = Annotated[
    list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="Further parameter; repeatable.")
]
InputPriceOption = Annotated[str | None, typer.Option("--input-price", help="USD per million tokens read.")]
OutputPriceOption = Annotated[str | None, typer.Option("--output-price", help="USD per million tokens written.")]
PriceAsOption = Annotated[str | None, typer.Option("--price-as", help="Take the price of this litellm model.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Refuse instead of leaving out a parameter.")]
