"""Ids: random for what comes from outside, derived by SHA-256 for what follows from it.

A derived id makes redelivery and resuming meet the same id, so a second append of the same fact is refused or ignored.
"""

import hashlib
import secrets

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
SESSION_ID_LENGTH = 8
CALL_PREFIX = "c_"
DERIVED_LENGTH = 26  # 26 base-32 digits = 130 bits
_PAIRS = tuple(one + other for one in CROCKFORD for other in CROCKFORD)
_SHIFTS = tuple(range(120, -1, -10))  # 13 pairs of digits, 10 bits each


def new_session_id() -> str:
    """Eight random Crockford digits, so that a short prefix is usually unique."""
    return "".join(secrets.choice(CROCKFORD) for _ in range(SESSION_ID_LENGTH))


def new_ulid(now_ms: int) -> str:
    """A ULID (48 bits of milliseconds, 80 random bits) in lower-case Crockford digits."""
    return _digits((now_ms << 80) | secrets.randbits(80))


def new_message_id(now_ms: int) -> str:
    """Id of a message that came from outside (a user, a script)."""
    return "m_" + new_ulid(now_ms)


def derive(prefix: str, *parts: str | int) -> str:
    """`prefix` and 130 bits of the SHA-256 of `parts`, in Crockford digits."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return prefix + _digits(int.from_bytes(digest, "big") >> 126)


def turn_id(message_id: str, vp_id: str) -> str:
    """The turn in which `vp_id` answers `message_id`; there is only one."""
    return derive("t_", message_id, vp_id)


def request_id(turn: str, round_number: int, attempt: int) -> str:
    """One attempt at one round of a turn; both count from 0."""
    return derive("q_", turn, "request", round_number, attempt)


def call_id(request: str, index: int) -> str:
    """The `index`-th tool call (from 0) of the reply to `request`."""
    return derive(CALL_PREFIX, request, "call", index)


def ask_id(call: str, number: int) -> str:
    """The `number`-th question that `call` puts to the human."""
    return derive("k_", call, "ask", number)


def carried_message_id(call: str, kind: str, target: str) -> str:
    """A message that a hand-off posts: `kind` is `forward` or `return`."""
    return derive("m_", call, kind, target)


def _digits(value: int) -> str:
    """The lowest 26 base-32 digits of `value`; every event has some, so they are taken two at a time."""
    return "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])
