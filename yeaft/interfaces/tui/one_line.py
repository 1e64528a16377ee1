"""How much goes into a field of one line, which is drawn whole at every key: a pasted megabyte would stop it."""

MOST_CHARS = 2_000
"""In what looks for something or names it; what is longer is refused with a bell."""
MOST_ANSWER_CHARS = 20_000
"""In an answer to a question; of a longer paste the beginning is taken."""
