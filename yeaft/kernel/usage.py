"""Tokens and money in one normal form, whatever the provider calls them."""

from msgspec import Struct, field


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one or more requests.

    `input` counts only tokens that were neither read from nor written to the provider's cache, so the four kinds
    never overlap: everything sent = `input + cache_read + cache_write`. `reasoning` is the part of `output` that was
    thought rather than said.
    """

    input: int = field(default=0, name="in")
    output: int = field(default=0, name="out")
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
        )

    @property
    def sent(self) -> int:
        """All tokens of the request, cached or not."""
        return self.input + self.cache_read + self.cache_write


class Price(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """US dollars per million tokens. A cache price of None means the provider has no such thing: it counts as input."""

    input: float = field(default=0.0, name="in")
    output: float = field(default=0.0, name="out")
    cache_read: float | None = None
    cache_write: float | None = None

    def cost_usd(self, usage: Usage) -> float:
        """What `usage` costs, in US dollars."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        total = usage.input * self.input + usage.output * self.output
        return (total + usage.cache_read * read + usage.cache_write * write) / 1_000_000
