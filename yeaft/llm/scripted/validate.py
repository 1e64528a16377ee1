"""The rules by which the real services refuse a request, so that a test meets them without a network."""

from yeaft.llm.model import WireProtocol
from yeaft.llm.scripted.shapes import Json, places_of_surrogates
from yeaft.llm.scripted.validate_anthropic import anthropic_problems
from yeaft.llm.scripted.validate_responses import responses_problems


def validate(protocol: WireProtocol, body: Json) -> list[str]:
    """What is wrong with the body of a request, each with its place; empty means that it would be accepted."""
    problems = [f"body{place}: a lone surrogate cannot be sent" for place in places_of_surrogates(body)]
    rules = anthropic_problems if protocol == "anthropic" else responses_problems
    return problems + list(rules(body))
