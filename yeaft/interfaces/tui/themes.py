"""The themes: dark and light in colours of their own, and the terminal's 16 colours on its own background."""

from __future__ import annotations

from collections.abc import Iterator

from textual.theme import BUILTIN_THEMES, Theme

from yeaft.interfaces.tui.look import CHOSEN_DARK, CHOSEN_LIGHT, INK_DARK, INK_LIGHT


def _variables(chosen: tuple[str, str], quiet: str) -> dict[str, str]:
    """Return the colours of chosen rows, whether they have the focus or not, and of quiet texts."""
    text, ground = chosen
    return {
        "block-cursor-foreground": text,
        "block-cursor-background": ground,
        "block-cursor-blurred-foreground": text,
        "block-cursor-blurred-background": ground,
        "text-muted": quiet,
        "text-disabled": quiet,
    }


DARK = Theme(
    name="yeaft-dark",
    primary="#6cb0ff",
    secondary="#4cc4d2",
    accent="#cf95ff",
    warning="#e6b34a",
    error="#f47067",
    success="#57c99a",
    foreground=INK_DARK,
    background="#14161b",
    surface="#1b1e25",
    panel="#242832",
    dark=True,
    variables=_variables(CHOSEN_DARK, "#9da4b0"),
)
LIGHT = Theme(
    name="yeaft-light",
    primary="#0b57d0",
    secondary="#0a6b78",
    accent="#8430c9",
    warning="#8a5a00",
    error="#b3261e",
    success="#11724d",
    foreground=INK_LIGHT,
    background="#fbfbf9",
    surface="#f2f2ee",
    panel="#e7e7e1",
    dark=False,
    variables=_variables(CHOSEN_LIGHT, "#5a616b"),
)


ANSI_VARIABLES = {
    "block-cursor-foreground": "ansi_default",
    "block-cursor-background": "ansi_white",
    "block-cursor-blurred-foreground": "ansi_default",
    "block-cursor-blurred-background": "ansi_white",
    "scrollbar-background": "ansi_default",
    "scrollbar-background-hover": "ansi_default",
    "scrollbar-background-active": "ansi_default",
}
"""Whatever stands on a colour is drawn in reverse where there are few; see `legible`."""


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
            variables={**known.variables, **ANSI_VARIABLES},
            ansi=True,
        )


STYLE_SHEET = """
Screen { background: $background; color: $foreground; scrollbar-size-vertical: 1; }
ToastRack { dock: top; align: right top; }
Toast { border-left: none; padding: 0 1; margin: 0; max-width: 90%; background: $panel; }
.framed { border: round $primary; }
Transcript { margin-bottom: 1; }
.-low Transcript { margin-bottom: 0; }
.-plain .framed { border: ascii $primary; }
Panel .title { background: $panel; color: $primary; text-style: bold; }
Panel .title:ansi { background: ansi_white; color: ansi_default; }
OptionList > .option-list--option-disabled { color: $foreground; }
OptionList:ansi > .option-list--option-highlighted { text-style: bold; }
Overview > OptionList:blur > .option-list--option-highlighted { background: $panel; color: $foreground; }
Overview > OptionList:blur > .option-list--option-highlighted { text-style: none; }
Input:ansi > .input--cursor { color: ansi_default; background: ansi_white; text-style: none; }
Input:ansi > .input--placeholder { text-style: italic; }
"""
"""What all screens have in common: light lines for borders, in ASCII where there is nothing else."""
