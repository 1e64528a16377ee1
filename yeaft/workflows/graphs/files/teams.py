"""Teams and connections of agents as graphs: each team one of its own, all connections together another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from yeaft.kernel.lists import is_list
from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.files.components import components
from yeaft.workflows.graphs.files.located import Located, Mistake, Path
from yeaft.workflows.graphs.plain_values import is_mapping, listing, mapping

MODES = ("sequential", "parallel")
CONNECTION_TYPES = ("node", "callable", "file")
CONNECTIONS = "connections"
"""What the graph of all connections is called."""
_TEAM_KEYS = {
    "shared_prompt": "shared_prompt",
    "prompt_template": "prompt_template",
    "template_vars": "template_vars",
    "mcp_servers": "mcp_servers",
    "member_timeout": "member_timeout",
    "member_retry_attempts": "member_retry_attempts",
    "member_retry_delay": "member_retry_delay",
}
_SAID_AS = {"prompt_template": "prompt"}
"""What mistakes in a setting of a team are told of, where that is not its own name."""
_TEAM_USED = frozenset(
    (
        *_TEAM_KEYS,
        *("mode", "strategy", "members", "validator", "error_mode", "connections", "forward_to"),
        *("type", "name", "display_name", "description", "debug"),
    )
)
"""What is understood of a team, or makes no difference that anybody would miss."""
_CONNECTION_KEYS = ("stop_condition", "transform", "priority", "delay")
_CONNECTION_USED = frozenset(
    (
        *_CONNECTION_KEYS,
        *("type", "name", "connection_type", "wait_for_completion", "filter_condition", "exit_condition"),
        *("callable", "kw_args", "queued", "queue_strategy", "path", "template", "encoding", "description"),
    )
)
"""What is understood of a connection, or of one that is left out."""


class Translated:
    """A graph that was made of something else; `places` says as what its parts stand in the file, by their paths."""

    def __init__(self, graph: dict[str, Any], located: Located, places: Mapping[Path, Path]) -> None:
        self.graph = graph
        self._located = located
        self._places = places

    def line(self, path: Path) -> int:
        """See `compiling.Lines`."""
        known = next((path[:end] for end in range(len(path), -1, -1) if path[:end] in self._places), None)
        return 0 if known is None else self._located.line((*self._places[known], *path[len(known) :]))


class Translator:
    """Translates one manifest; what cannot be meant is in `mistakes`, what is left out in `warnings`."""

    def __init__(self, located: Located) -> None:
        self.mistakes: list[Mistake] = []
        self.warnings: list[Mistake] = []
        self._located = located
        self._data = cast("dict[str, Any]", located.data)

    def graphs(self) -> dict[str, Translated]:
        """Return all graphs by name."""
        teams = mapping(self._data.get("teams"))
        for name, team in teams.items():
            if not is_mapping(team):
                self.mistakes.append(Mistake(self._line("teams", name), f"the team {name!r} must be a mapping"))
        if self._data.get("teams") is not None and not is_mapping(self._data["teams"]):
            self.mistakes.append(Mistake(self._line("teams"), "teams must be a mapping by name"))
        found = {name: self._team(name, team) for name, team in teams.items() if is_mapping(team)}
        for name in self._circular(teams):
            self.mistakes.append(Mistake(self._line("teams", name), f"the team {name!r} is a member of itself"))
        connected = self._connections()
        if connected is not None:
            found[CONNECTIONS] = connected
        return found

    def _team(self, name: str, team: Mapping[str, Any]) -> Translated:
        key = "mode" if "mode" in team else "strategy"
        mode, members = team.get(key, "sequential"), self._members(name, team)
        self._tell_unknown_of_team(name, team)
        places: dict[Path, Path] = {(): ("teams", name)}
        if mode not in MODES:
            near = nearest(str(mode), MODES)
            hint = f". Did you mean {near!r}?" if near else "; there are sequential and parallel"
            text = f"the team {name!r} has the mode {mode!r}{hint}"
            self.mistakes.append(Mistake(self._line("teams", name, key), text))
        settings = {ours: team[theirs] for theirs, ours in _TEAM_KEYS.items() if team.get(theirs) is not None}
        steps: list[dict[str, Any]] = []
        for number, member in enumerate(members):
            places["steps", number] = ("teams", name, "members", number)
            places |= {("steps", number, _SAID_AS.get(key, key)): ("teams", name, key) for key in settings}
            steps.append({"id": _free(member, steps), "agent": member, **settings})
        if team.get("error_mode", "collect_exceptions") == "collect_exceptions" and mode == "parallel":
            steps = [{**step, "on_error": "continue"} for step in steps] if "error_mode" in team else steps
        if (validator := team.get("validator")) and mode == "sequential":
            steps.append({"id": _free(str(validator), steps), "agent": str(validator)})
        ids = [step["id"] for step in steps]
        edges: list[dict[str, Any]] = []
        if mode == "parallel" and ids:
            gathered = ids if len(ids) > 1 else ids[0]
            edges = [{"from": "start", "to": ids}, {"from": gathered, "to": "end"}]
        graph: dict[str, Any] = {"name": name, "steps": steps}
        return Translated(graph | ({"edges": edges} if edges else {}), self._located, places)

    def _tell_unknown_of_team(self, name: str, team: Mapping[str, Any]) -> None:
        for key, near in _unknown(team, _TEAM_USED):
            hint = f". Did you mean {near!r}?" if near else ""
            self.warnings.append(Mistake(self._line("teams", name, key), f"{key!r} means nothing for a team{hint}"))

    def _tell_unknown_of_connection(self, path: Path, connection: Mapping[str, Any]) -> None:
        for key, near in _unknown(connection, _CONNECTION_USED):
            hint = f". Did you mean {near!r}?" if near else ""
            text = f"{key!r} means nothing for a connection{hint}"
            self.warnings.append(Mistake(self._located.line((*path, key)), text))

    def _members(self, name: str, team: Mapping[str, Any]) -> list[str]:
        members = team.get("members", [])
        if members is None or members == []:
            self.mistakes.append(Mistake(self._line("teams", name), f"the team {name!r} has no members"))
            return []
        if not is_list(members):
            self.mistakes.append(
                Mistake(self._line("teams", name, "members"), f"the members of team {name!r} are no list")
            )
            return []
        named = [_member(one) for one in members]
        for number, one in enumerate(named):
            if not one:
                text = f"a member of team {name!r} has no name"
                self.mistakes.append(Mistake(self._line("teams", name, "members", number), text))
        return [one for one in named if one]

    def _circular(self, teams: Mapping[str, Any]) -> Iterator[str]:
        """Yield a team for each circle of teams that are members of themselves, by whatever way."""
        members: dict[str, list[str]] = {}
        for name, team in teams.items():
            listed = mapping(team).get("members")
            members[name] = [_member(one) for one in listing(listed)]
        for circle in components(members):
            yield next(name for name in members if name in circle)

    def _connections(self) -> Translated | None:
        steps: dict[str, dict[str, Any]] = {}
        edges: list[dict[str, Any]] = []
        places: dict[Path, Path] = {}
        for place in ("agents", "teams"):
            for name, agent in mapping(self._data.get(place)).items():
                for path, connection in self._connections_of(place, name, mapping(agent)):
                    made = self._connection(name, connection, path)
                    for step in made[0]:
                        if step["id"] not in steps:
                            places["steps", len(steps)] = path
                            places["steps", len(steps), "call"] = (*path, "callable")
                            steps[step["id"]] = step
                    for edge in made[1]:
                        places["edges", len(edges)] = path
                        places["edges", len(edges), "condition"] = (*path, "filter_condition")
                        edges.append(edge)
        if not steps:
            return None
        graph = {"name": self._data.get("name") or CONNECTIONS, "steps": list(steps.values()), "edges": edges}
        return Translated(graph, self._located, places)

    def _connections_of(
        self, place: str, name: str, agent: Mapping[str, Any]
    ) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Yield the connections of an agent or team, by whichever name they go."""
        for key in ("connections", "forward_to"):
            written = agent.get(key)
            for number, one in enumerate(listing(written)):
                path: Path = (place, name, key, number)
                connection: Any = {"name": one} if isinstance(one, str) else one
                if is_mapping(connection):
                    yield path, connection
                else:
                    self.mistakes.append(Mistake(self._located.line(path), "a connection is a mapping, or a name"))
            if written is not None and not is_list(written):
                self.mistakes.append(Mistake(self._line(place, name, key), f"{key} must be a list"))

    def _connection(
        self, name: str, connection: Mapping[str, Any], path: Path
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        line, kind = self._located.line(path), connection.get("type", "node")
        self._tell_unknown_of_connection(path, connection)
        if connection.get("exit_condition") is not None:
            text = "exit_condition would end the whole program; use a stop_condition, which closes the connection"
            self.mistakes.append(Mistake(self._located.line((*path, "exit_condition")), text))
        for key in ("queued", "queue_strategy", "kw_args"):
            if connection.get(key) and key == "kw_args":
                self.warnings.append(Mistake(line, "kw_args are not handed on: a function is given the value alone"))
            elif connection.get(key):
                self.warnings.append(Mistake(line, f"{key} is not kept: a step is given each value as it comes"))
        own = {"id": name, "agent": name}
        if kind == "callable":
            target = {"id": f"{name} call", "call": str(connection.get("callable", ""))}
        elif kind in ("node", "agent", "team"):
            target = {"id": str(connection.get("name", "")), "agent": str(connection.get("name", ""))}
        elif kind == "file":
            self.warnings.append(Mistake(line, f"a connection of type {kind!r} is left out; VPs write files by tools"))
            return [], []
        else:
            near = nearest(str(kind), CONNECTION_TYPES)
            hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(CONNECTION_TYPES)}."
            text = f"there is no connection of the type {str(kind)!r}.{hint}"
            self.mistakes.append(Mistake(self._located.line((*path, "type")), text))
            return [], []
        mode = connection.get("connection_type", "run")
        if mode == "queue":
            self.warnings.append(Mistake(line, "a queue is not kept apart: what comes is left as context"))
            mode = "context"
        edge: dict[str, Any] = {"from": name, "to": target["id"], "mode": mode}
        edge |= {key: connection[key] for key in _CONNECTION_KEYS if connection.get(key) is not None}
        if connection.get("filter_condition") is not None:
            edge["condition"] = connection["filter_condition"]
        if connection.get("wait_for_completion") is False:
            edge["async"] = True
        return [own, target], [edge]

    def _line(self, *path: str | int) -> int:
        return self._located.line(path)


def _unknown(written: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the keys that are not known, each with the one that may have been meant."""
    return ((key, nearest(key, sorted(known))) for key in written if key not in known)


def _member(written: Any) -> str:
    """The name of a member; empty for none."""
    name = written.get("name") if is_mapping(written) else written
    return name if isinstance(name, str) else ""


def _free(name: str, steps: list[dict[str, Any]]) -> str:
    """An id for a member; one that takes part twice gets a number."""
    taken = {step["id"] for step in steps}
    number, one = 1, name
    while one in taken:
        number += 1
        one = f"{name}-{number}"
    return one
