"""The tool that gives a VP its instructions for planning; it does nothing but answer with text."""

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.tools.tool import Running, Tool


class StartPlan(Struct, frozen=True, rename="camel"):
    """What the model says to begin a plan."""

    topic: str
    user_problem: str = ""
    stuck_at: str = ""
    expected_scale: str = ""
    additional_context: str = ""


def start_plan(lang: str, own_plan: str = "") -> Tool[StartPlan]:
    """Let the model ask how to plan; `own_plan` is the VP's own instruction and replaces the general one of `lang`."""

    async def run(args: StartPlan, _: Running) -> str:
        if not args.topic.strip():
            raise ToolFailed("The topic is empty; say what the plan is for.")
        texts = sections(read_template("prompts/plan", lang))
        instruction = own_plan.strip() or texts["instruction"]
        given = (
            ("topic", args.topic),
            ("userProblem", args.user_problem),
            ("stuckAt", args.stuck_at),
            ("expectedScale", args.expected_scale),
            ("additionalContext", args.additional_context),
        )
        echo = "\n".join(f"{name}: {text.strip()}" for name, text in given if text.strip())
        return f"<plan_instruction>\n{instruction}\n</plan_instruction>\n\n{echo}\n\n{texts['next']}"

    return Tool(name="StartPlan", args=StartPlan, run=run, guard="read")
