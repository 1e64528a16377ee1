"""The themes: dark and light in colours of their own, and the terminal's 16 colours on its own background."""

from __future__ import annotations

from collections.abc import Iterator

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="yeaft-dark",
    primary="#6cb0ff",
    secondary="#4cc4d2",
    accent="#cf95ff",
    warning="#e6b34a",
    error="#f47067",
    success="#57c99a",
    foreground="#dfe3ea",
    background="#14161b",
    surface="#1b1e25",
    panel="#242832",
    dark=True,
    variables={"block-cursor-background": "#2c4a70", "block-cursor-foreground": "#ffffff"},
)
LIGHT = Theme(
    name="yeaft-light",
    primary="#0b57d0",
    secondary="#0a6b78",
    accent="#8430c9",
    warning="#8a5a00",
    error="#b3261e",
    success="#11724d",
    foreground="#1f2328",
    background="#fbfbf9",
    surface="#f2f2ee",
    panel="#e7e7e1",
    dark=False,
    variables={"block-cursor-background": "#bcd4f6", "block-cursor-foreground": "#1f2328"},
)


def themes() -> Iterator[Theme]:
    """Yield all themes that `Look.theme` can name."""
    yield DARK
    yield LIGHT
    for tone in ("dark", "light"):
        known = BUILTIN_THEMES[f"ansi-{tone}"]
        yield Theme(
            name=f"yeaft-ansi-{tone}",
            primary=known.primary,
            secondary=known.secondary,
            warning=known.warning,
            error=known.error,
            success=known.success,
            accent=known.accent,
            foreground=known.foreground,
            background=known.background,
            surface=known.surface,
            panel=known.panel,
            boost=known.boost,
            dark=known.dark,
            luminosity_spread=known.luminosity_spread,
            text_alpha=known.text_alpha,
            variables=dict(known.variables),
            ansi=True,
        )


STYLE_SHEET = """
Screen { background: $background; color: $foreground; scrollbar-size-vertical: 1; }
ToastRack { dock: top; align: right top; }
Toast { border-left: none; padding: 0 1; margin: 0; max-width: 90%; background: $panel; }
.framed { border: round $primary; }
.-plain .framed { border: ascii $primary; }
OptionList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
OptionList:ansi > .option-list--option-highlighted { text-style: bold underline; }
"""
"""What all screens have in common: light lines for borders, in ASCII where there is nothing else."""
