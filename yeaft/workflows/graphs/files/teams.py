"""Teams and connections of agents as graphs: each team one of its own, all connections together another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from yeaft.kernel.lists import is_list
from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.files.agents import SECTIONS
from yeaft.workflows.graphs.files.components import components
from yeaft.workflows.graphs.files.located import Located, Mistake, Path
from yeaft.workflows.graphs.files.made_steps import fitting_id, id_mistake
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
        self._ids: dict[tuple[str, str], str] = {}

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
            found[fitting_id(CONNECTIONS, found)] = connected
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
            steps.append({**_step(member, [step["id"] for step in steps]), **settings})
        if team.get("error_mode", "collect_exceptions") == "collect_exceptions" and mode == "parallel":
            steps = [{**step, "on_error": "continue"} for step in steps] if "error_mode" in team else steps
        if (validator := team.get("validator")) and mode == "sequential":
            steps.append(_step(str(validator), [step["id"] for step in steps]))
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
        named = [_name(one) for one in members]
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
            members[name] = [_name(one) for one in listing(listed)]
        for circle in components(members):
            yield next(name for name in members if name in circle)

    def _connections(self) -> Translated | None:
        steps: dict[str, dict[str, Any]] = {}
        edges: list[dict[str, Any]] = []
        places: dict[Path, Path] = {}
        for place in (*SECTIONS, "teams"):
            for name in mapping(self._data.get(place)):
                for path, connection in self._connections_of(place, name):
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
        for source in dict.fromkeys(edge["from"] for edge in edges):
            own = {number: edge for number, edge in enumerate(edges) if edge["from"] == source}
            if all(map(_may_keep_waiting, own.values())):  # what passes no filter is what is given in the end
                places["edges", len(edges)] = places["edges", max(own)]
                edges.append({"from": source, "to": "end", "else": True})
        graph = {"name": self._data.get("name") or CONNECTIONS, "steps": list(steps.values()), "edges": edges}
        return Translated(graph, self._located, places)

    def _connections_of(self, place: str, name: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Yield the connections of an agent or team, its own or inherited, by whichever name they go."""
        for key in ("connections", "forward_to"):
            giver = self._giver(place, name, key)
            written = self._written(giver).get(key)
            for number, one in enumerate(listing(written)):
                path: Path = (*giver, key, number)
                connection: Any = {"name": one} if isinstance(one, str) else one
                if is_mapping(connection):
                    yield path, connection
                else:
                    self.mistakes.append(Mistake(self._located.line(path), "a connection is a mapping, or a name"))
            if written is not None and not is_list(written):
                self.mistakes.append(Mistake(self._line(*giver, key), f"{key} must be a list"))

    def _written(self, place: tuple[str, str]) -> Mapping[str, Any]:
        """What is written of an agent or a team; nothing for one that is only the name of a file."""
        return mapping(mapping(self._data.get(place[0])).get(place[1]))

    def _giver(self, place: str, name: str, key: str) -> tuple[str, str]:
        """Where a key of an agent stands: in the agent, or in the nearest one that it inherits from."""
        first = found = (place, name)
        seen: set[tuple[str, str]] = set()
        while key not in self._written(found):
            seen.add(found)
            parent = str(self._written(found).get("inherits"))
            above = next((one for one in SECTIONS if parent in mapping(self._data.get(one))), None)
            if above is None or (above, parent) in seen:
                return first
            found = (above, parent)
        return found

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
        own, wanted = self._connected(name), "callable" if kind == "callable" else "name"
        named = _name(connection.get(wanted))
        if kind in ("callable", "node", "agent", "team") and not named:
            text = f"a connection of {name!r} says no {wanted}, so it leads nowhere"
            self.mistakes.append(Mistake(line, text))
            return [], []
        if kind in ("callable", "node", "agent", "team"):
            target = self._connected(name, named) if kind == "callable" else self._connected(named)
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
        edge: dict[str, Any] = {"from": own["id"], "to": target["id"], "mode": mode}
        edge |= {key: connection[key] for key in _CONNECTION_KEYS if connection.get(key) is not None}
        if connection.get("filter_condition") is not None:
            edge["condition"] = connection["filter_condition"]
        if connection.get("wait_for_completion") is False:
            edge["async"] = True
        return [own, target], [edge]

    def _connected(self, name: str, function: str = "") -> dict[str, Any]:
        """The one step that somebody takes among all connections, or that a function does for somebody."""
        key = (name, function)
        if key not in self._ids:
            self._ids[key] = fitting_id(f"{name} call" if function else name, self._ids.values())
        return {"id": self._ids[key], "call": function} if function else _step(name, (), self._ids[key])

    def _line(self, *path: str | int) -> int:
        return self._located.line(path)


def _unknown(written: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the keys that are not known, each with the one that may have been meant."""
    return ((key, nearest(key, sorted(known))) for key in written if key not in known)


def _may_keep_waiting(edge: Mapping[str, Any]) -> bool:
    """Whether something is waited for behind an edge that may not be taken."""
    return "condition" in edge and edge["mode"] != "context" and "async" not in edge


def _name(written: Any) -> str:
    """The name of whom or what is meant, as text as keys are; empty for none."""
    name = written.get("name") if is_mapping(written) else written
    if isinstance(name, bool):
        return str(name).lower()
    return str(name) if isinstance(name, str | int | float) else ""


def _step(name: str, taken: Collection[str], step_id: str = "") -> dict[str, Any]:
    """The step of somebody; who cannot be the id of one by name is named in a label."""
    found = {"id": step_id or fitting_id(name, taken), "agent": name}
    return found | ({"label": name} if id_mistake(name) else {})
