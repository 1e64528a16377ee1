"""What `yeaft doctor` has found about one thing."""

from typing import Literal

from msgspec import Struct

Status = Literal["ok", "warn", "fail"]


class Check(Struct, frozen=True, kw_only=True):
    """One thing that was looked at; `remedy` is empty where nothing need be done."""

    name: str
    status: Status
    detail: str
    remedy: str = ""
