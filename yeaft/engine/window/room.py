"""How much room a request has for what was said: the model's window without the reply, the rules and the tools."""

from msgspec import Struct
from msgspec.structs import replace

from yeaft.engine.settings import Settings
from yeaft.llm.model import Tools
from yeaft.llm.prompt import ToolSpec
from yeaft.llm.tokens import Factors, estimate

SMALLEST_REPLY_TOKENS = 256
SAFETY_TOKENS = 64
REPLY_SHARE = 4
"""At most a quarter of a small window is kept free for the reply; under pressure `LEAST_REPLY_SHARE` has to do."""
LEAST_REPLY_SHARE = 16
EARLIER_SHARE = 2
"""At most half of the room is for earlier turns, however many tokens of them the user wants."""
GOALS_SHARE = 16
MOST_GOALS_TOKENS, LEAST_GOALS_TOKENS = 1024, 96
"""What the user asked for in turns that were left out may take a sixteenth of the room, within these bounds."""
SHRINK = (1.0, 0.75, 0.5)
"""How much of what was refused for length is sent after 0, 1, 2 refusals."""
LEAST_SHRUNK_TOKENS = 256
"""A question so short is never cut because of a refusal: there the trouble lies elsewhere."""


class Room(Struct, frozen=True, kw_only=True):
    """Estimated tokens: `fixed` are taken, `limit` are free, `utmost` with the shortest reply that makes sense.

    `earlier` of them are for earlier turns, `goals` of those for what stands in their place. The last two depend only
    on what was known when the turn began, so that the requests of one turn share their beginning. `context`, `reply`
    and `least_reply` are the model's own tokens.
    """

    fixed: int
    limit: int
    utmost: int
    earlier: int
    goals: int
    context: int = 0
    reply: int = 0
    least_reply: int = 0


def room_for(settings: Settings, factors: Factors, bound: int | None = None) -> Room:
    """The room of the next request, which may be negative. `bound` are estimated tokens that it may have in all."""
    context = settings.entry.context_tokens
    fixed = fixed_tokens(settings)
    usual, least = reply_tokens(settings, REPLY_SHARE), reply_tokens(settings, LEAST_REPLY_SHARE)
    at_start = _free(context - usual, fixed, factors.at_start)
    limit, utmost = _free(context - usual, fixed, factors.now), _free(context - least, fixed, factors.now)
    if bound is not None:
        most = max(bound - fixed, LEAST_SHRUNK_TOKENS)
        limit, utmost = min(limit, most), min(utmost, most)
    return Room(
        fixed=fixed,
        limit=limit,
        utmost=utmost,
        earlier=min(int(settings.window.history_tokens / factors.at_start), max(0, at_start) // EARLIER_SHARE),
        goals=min(max(at_start // GOALS_SHARE, LEAST_GOALS_TOKENS), MOST_GOALS_TOKENS),
        context=context,
        reply=usual,
        least_reply=least,
    )


def after_refusals(room: Room, refused_tokens: int, shrinks: int) -> Room:
    """The room after the provider has called a request with `refused_tokens` of messages too long, `shrinks` times.

    It knows better than we do how much it takes, so what was sent is the measure, not what we believe to be free.
    """
    share = SHRINK[min(shrinks, len(SHRINK) - 1)]
    most = max(int(refused_tokens * share), LEAST_SHRUNK_TOKENS)
    reply = max(int(room.reply * share), room.least_reply)
    return replace(room, limit=min(room.limit, most), utmost=min(room.utmost, most), reply=reply)


def output_tokens(room: Room, factors: Factors, tokens_est: int) -> int:
    """How long the reply may be beside a request of `tokens_est`: never more than what remains."""
    left = room.context - SAFETY_TOKENS - int((room.fixed + tokens_est) * factors.now)
    return min(room.reply, max(left, room.least_reply))


def fixed_tokens(settings: Settings) -> int:
    """What every request of these settings costs: the system prompt and the tools."""
    return system_tokens(settings) + tools_tokens(settings)


def system_tokens(settings: Settings) -> int:
    """What the system prompt costs."""
    return sum(estimate(block.text) for block in settings.system)


def tools_tokens(settings: Settings) -> int:
    """What the descriptions and schemas of the tools cost."""
    match settings.entry.tools:
        case False:
            return 0
        case True:
            return sum(map(tool_tokens, settings.tools))
        case "text":
            from yeaft.llm.text_calls import tools_text

            return estimate(tools_text(settings.tools)) if settings.tools else 0


def tool_tokens(tool: ToolSpec, tools: Tools = True) -> int:
    """What one of them costs, where tools are told in this way."""
    if tools == "text":
        from yeaft.llm.tool_listing import listed

        return estimate(listed(tool))
    return estimate(tool.name + tool.description) + len(bytes(tool.schema)) // 4


def reply_tokens(settings: Settings, share: int) -> int:
    """What is kept free for the reply where it may take one `share`-th of the window."""
    return min(settings.max_output_tokens, max(SMALLEST_REPLY_TOKENS, settings.entry.context_tokens // share))


def _free(context: int, fixed: int, factor: float) -> int:
    return int((context - SAFETY_TOKENS) / factor) - fixed
