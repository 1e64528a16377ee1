"""The encoder of a model's requests, by what is known of the model alone: for whoever has no connection to it."""

from yeaft.llm.model import Encode, ModelEntry


def encoder_of(entry: ModelEntry) -> Encode:
    """What makes the bodies of requests to such a model; see `Model.encoder`."""
    return in_text(entry, _of_protocol(entry))


def in_text(entry: ModelEntry, encode: Encode) -> Encode:
    """`encode` itself, or around it what writes tools and calls out for a model that has no tool calling."""
    if entry.tools != "text":
        return encode
    from yeaft.llm import text_calls

    return text_calls.encoder(encode)


def _of_protocol(entry: ModelEntry) -> Encode:
    match entry.protocol:
        case "anthropic":
            from yeaft.llm import anthropic_prompt

            return anthropic_prompt.encoder(entry)
        case "openai-responses":
            from yeaft.llm import responses_prompt

            return responses_prompt.encoder(entry)
