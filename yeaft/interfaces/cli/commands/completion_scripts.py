"""Writes completion scripts from the table of what can follow what. The shells never start yeaft for fixed words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from yeaft.interfaces.cli.commands.completion_words import Choices, Given, Level

LOOKED_UP: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "sessions": ("session ls --all", ("id", "name")),
    "vps": ("vp ls", ("id",)),
    "models": ("model ls", ("ref",)),
    "tasks": ("task ls --all", ("id",)),
    "agents": ("agent ls --all", ("id", "name")),
    "artifacts": ("artifact ls", ("id", "path")),
    "runs": ("graph ls", ("id",)),
    "keys": ("config ls", ("key",)),
    "skills": ("skill ls", ("name",)),
}
"""Sources that yeaft itself is asked for: the list, and the fields of its rows."""

_BASH_END = """\
_yeaft_mentions() {
    # Where @ ends a word, as it does in most shells outside of quotes, only what follows it is completed.
    local current=$1 before=$2 start=''
    case "$current" in
        [\\"\\']*@*) current=${current:1}; start=${current%@*}@ ;;
        @) [[ $COMP_WORDBREAKS == *@* ]] || start=@ ;;
        @*) start=@ ;;
        *) [[ $before == @ ]] || return 1 ;;
    esac
    _yeaft_keep "$(_yeaft_list id 'vp ls')" "${current##*@}" "$start"
    return 0
}
_yeaft_keep() {
    # Not compgen -W: it would run what stands in $( ) in the name of a Session.
    local word
    while IFS= read -r word; do
        [[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$3$word")
    done <<< "$1"
}
_yeaft() {
    local current=${COMP_WORDS[COMP_CWORD]} found place
    COMPREPLY=()
    _yeaft_mentions "$current" "${COMP_WORDS[COMP_CWORD-1]}" && return
    found=$(_yeaft_candidates "${COMP_WORDS[@]:1:COMP_CWORD-1}")
    if [[ $found == :* && $current != -* ]]; then
        local kind=-f IFS=$'\\n'
        [[ $found == :folders* ]] && kind=-d
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen $kind -- "$current"))
        return
    fi
    _yeaft_keep "$found" "${current#[\\"\\']}" ''
    [[ $current == [\\"\\']* ]] && return
    for place in "${!COMPREPLY[@]}"; do
        printf -v "COMPREPLY[place]" %q "${COMPREPLY[place]}"
    done
}
complete -F _yeaft yeaft"""

_ZSH_END = """\
_yeaft() {
    local found="$(_yeaft_candidates "${(@)words[2,CURRENT-1]}")"
    case "$found" in
        :files*) [[ $PREFIX == -* ]] || _files ;;
        :folders*) [[ $PREFIX == -* ]] || _files -/ ;;
    esac
    compadd -- ${${(f)found}:#:*}
}
compdef _yeaft yeaft"""

_FISH_START = """\
# yeaft completion for fish: yeaft completion fish | source
function __yeaft_said
    string match -v -- '-*' (commandline -opc)[2..-1]
end
function __yeaft_at
    set -l said (__yeaft_said)
    test "$said" = "$argv"
end
function __yeaft_in
    set -l said (__yeaft_said)
    test "$said" = "$argv"; or string match -q -- "$argv *" "$said"
end
function __yeaft_list
    command yeaft $argv[2..-1] --json 2>/dev/null | string replace -rf '^ *"(?:'$argv[1]')": "([^"\\\\\\\\]+)",?$' '$1'
end
complete -c yeaft -f"""


def bash(levels: Sequence[Level]) -> str:
    """Return the script for bash."""
    head = '# yeaft completion for bash: eval "$(yeaft completion bash)"'
    return "\n".join((head, *_candidates(levels), _BASH_END))


def zsh(levels: Sequence[Level]) -> str:
    """Return the script for zsh."""
    head = '#compdef yeaft\n# yeaft completion for zsh: eval "$(yeaft completion zsh)"'
    return "\n".join((head, *_candidates(levels), _ZSH_END))


def fish(levels: Sequence[Level]) -> str:
    """Return the script for fish."""
    return "\n".join((_FISH_START, *(line for level in levels for line in _fish_level(level))))


def _candidates(levels: Sequence[Level]) -> Iterator[str]:
    """Yield a function for bash and zsh: from the words before the cursor to words, `:files` or `:folders`."""
    yield "_yeaft_list() {"
    yield '    eval "command yeaft $2 --json" 2>/dev/null |'
    yield """        sed -nE 's/^ *"('"$1"')": "([^"\\\\]+)",*$/\\2/p'"""
    yield "}"
    yield "_yeaft_candidates() {"
    yield "    local at='' wants='' word"
    yield '    for word in "$@"; do'
    yield "        if [ -n \"$wants\" ]; then wants=''; continue; fi"
    yield '        case "$at:$word" in'
    for level in levels:
        yield from _steps(level)
    yield "        esac"
    yield "    done"
    yield '    case "$wants" in'
    for option, values in _all_values(levels).items():
        yield f"        '{option}') {_shown(values)}; return ;;"
    yield "    esac"
    yield '    case "$at" in'
    for level in levels:
        everything = Choices(words=(*level.following.words, *level.options), source=level.following.source)
        yield f"        '{level.path}') {_shown(everything)} ;;"
    yield "    esac"
    yield "}"


def _steps(level: Level) -> Iterator[str]:
    """Yield the cases in which a word leads on from `level`: to a value that comes next, or to a level below."""
    for given in level.valued:
        patterns = "|".join(f"'{level.path}:{name}'" for name in given.names)
        yield f"            {patterns}) wants='{_key(level, given)}' ;;"
    if not level.is_leaf:
        for word in level.following.words:
            below = f"{level.path} {word}".strip()
            yield f"            '{level.path}:{word}') at='{below}' ;;"


def _all_values(levels: Sequence[Level]) -> dict[str, Choices]:
    return {_key(level, given): given.values for level in levels for given in level.valued}


def _key(level: Level, given: Given) -> str:
    return f"{level.path} {given.names[-1]}".strip()


def _shown(choices: Choices) -> str:
    """Return the shell command that prints what can stand in a place, one to a line."""
    match choices.source:
        case "files" | "folders" as kind:
            return _printing(f":{kind}", *choices.words)
        case None:
            return _printing(*choices.words)
        case looked_up:
            listing, fields = LOOKED_UP[looked_up]
            return f"_yeaft_list '{'|'.join(fields)}' '{listing}'; {_printing(*choices.words)}"


def _printing(*words: str) -> str:
    return f"printf '%s\\n' {' '.join(words)}" if words else ":"


def _fish_level(level: Level) -> Iterator[str]:
    condition = f"{'__yeaft_in' if level.is_leaf else '__yeaft_at'} {level.path}".strip()
    rule = f"complete -c yeaft -n '{condition}'"
    if level.following.words or level.following.source:
        yield f"{rule} {_fish_values(level.following).removeprefix('-x ')}"
    with_values = {name: given for given in level.valued for name in given.names}
    for name in level.options:
        kind = "l" if name.startswith("--") else "s"
        given = with_values.get(name)
        yield f"{rule} -{kind} {name.lstrip('-')}" + (f" {_fish_values(given.values)}" if given else "")


def _fish_values(choices: Choices) -> str:
    match choices.source:
        case "files":
            return "-r -F"
        case "folders":
            return "-x -a '(__fish_complete_directories)'"
        case None:
            return f"-x -a '{' '.join(choices.words)}'" if choices.words else "-x"
        case looked_up:
            listing, fields = LOOKED_UP[looked_up]
            return f"-x -a '(__yeaft_list \\'{'|'.join(fields)}\\' {listing})'"
