"""What `yeaft doctor` says of what stands around commands: the sandbox, as this machine offers it, and the hooks."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from yeaft.interfaces.cli.commands.doctor_check import Check

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.session.hooks.hooks_file import Hook
    from yeaft.tools.shell.sandbox_plan import Plan

VERSION_WITHIN_S = 5.0
KERNEL_SAYS = (
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
)
"""Where kernels and distributions say whether users may make namespaces."""


def sandbox_check(desk: Desk) -> Check:
    """Say whether a sandbox is wanted and possible; tries it out."""
    from yeaft.tools.shell.sandbox import find_program, obstacle, plan_for
    from yeaft.tools.shell.sandbox_plan import arguments

    settings = desk.config.sandbox
    plan = plan_for(settings, desk.environ, kept=desk.home, folders=(desk.folder,))
    program = find_program(desk.environ)
    reason = obstacle(program, arguments(plan, desk.folder))
    is_wanted = settings.mode == "on" or settings.required
    if not reason:
        code = "doctor.sandbox_on" if is_wanted else "doctor.sandbox_off"
        detail = desk.text(code, program=f"{program} {_version(program)}".strip(), confines=_confines(desk, plan))
        return Check(name="sandbox", status="ok", detail=detail)
    if not is_wanted:
        return Check(name="sandbox", status="ok", detail=desk.text("doctor.sandbox_none", reason=reason))
    code = "doctor.sandbox_refuses" if settings.required else "doctor.sandbox_missing"
    detail = f"{desk.text(code)} {reason}{_kernel_says() if program else ''}"
    remedy = desk.text("doctor.sandbox_remedy")
    return Check(name="sandbox", status="fail" if settings.required else "warn", detail=detail, remedy=remedy)


def hook_checks(desk: Desk) -> Iterator[Check]:
    """Name each hook in force, and what is wrong with the files that they stand in."""
    from yeaft.session.hooks.configured import configured_hooks

    hooks, problems = configured_hooks(desk.home, desk.folder, desk.environ, trusted=desk.trust.is_trusted)
    for hook in hooks:
        yield Check(name="hook", status="ok", detail=_described(hook))
    for problem in problems:
        told = structs.replace(problem, reason=desk.ui.retold(problem.reason))
        yield Check(name="hook", status="warn", detail=str(told), remedy=desk.text("doctor.hook_remedy"))


def _confines(desk: Desk, plan: Plan) -> str:
    from yeaft.tools.shell.sandbox_plan import writable

    network = desk.text("doctor.network_on" if plan.network else "doctor.network_off")
    return f"{', '.join(map(str, writable(plan)))}; {network}"


def _described(hook: Hook) -> str:
    about = f"({hook.matcher})" if hook.matcher else ""
    return f"{hook.event}{about}: {' '.join(hook.command.split())} ({hook.path}:{hook.line})"


def _version(program: str) -> str:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run([program, "--version"], capture_output=True, timeout=VERSION_WITHIN_S, check=True)
        return told.stdout.decode("utf-8", "replace").strip().removeprefix("bubblewrap ")
    return ""


def _kernel_says() -> str:
    """What the kernel is set to, for those who can change it."""
    found: list[str] = []
    for place in KERNEL_SAYS:
        with contextlib.suppress(OSError):
            found.append(f"{place} = {Path(place).read_text('utf-8').strip()}")
    return f" [{'; '.join(found)}]" if found else ""
