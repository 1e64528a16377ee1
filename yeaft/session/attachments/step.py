"""Makes the step that attaches files; what it takes is imported only for a message that could name any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.session.mentions import may_mention

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.kernel.clock import NowMs
    from yeaft.session.intake import Draft, Step
    from yeaft.store.attachments import Attachments
    from yeaft.tools.paths import Paths
    from yeaft.tools.policy.read_denials import Withholding
    from yeaft.vp.names import Names


def attaching(
    *,
    kept: Attachments,
    paths: Callable[[], Paths],
    names: Callable[[], Names],
    withholding: Withholding,
    now_ms: NowMs,
) -> Step:
    """Return the step; see `Attaching`."""

    async def step(draft: Draft) -> Draft:
        if not (draft.files or draft.contents or may_mention(draft.text)):
            return draft
        from yeaft.session.attachments.attaching import Attaching

        attach = Attaching(kept=kept, paths=paths, names=names, withholding=withholding, now_ms=now_ms)
        return await attach(draft)

    return step
