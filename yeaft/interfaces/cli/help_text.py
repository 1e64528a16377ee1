"""The text of `yeaft --help`, kept apart so that showing it imports next to nothing."""

STDOUT = 1
HELP = """\
Usage: yeaft [OPTIONS] [PROMPT]
       yeaft COMMAND [ARGS]...

Put a question to a roster of virtual persons (VPs). Mention whom you want: "@builder fix it".
With piped input, the data is added to the prompt.

  yeaft "what does this repository do?"
  git diff | yeaft -p "@reviewer @skeptic review this"
  yeaft -c "and the tests?"

Session:
  -p, --print              The prompt is the next argument, even if it is a command's name.
  -c, --continue           Go on with the newest Session of this folder.
  -r, --resume ID|NAME     Go on with a Session by id, unique beginning of the id, or name.
      --fork               With -c or -r: go on in a copy.
      --at MESSAGE         With --fork: a copy as it was before that message (number or id).
      --continue-turn      With -c or -r: finish turns that a crash left open.
      --name NAME          Name a new Session.
      --take-over          Own a Session whose lock another host holds.
Who answers:
      --vp NAME            VPs of a new Session, in order; the first is the default. Repeat it.
  -m, --model [P/]MODEL    Model for this run.
      --effort LEVEL       low, medium, high, xhigh, max: as far as the model knows it.
Permissions:
      --mode MODE          ask, edits, plan or auto.
  -y, --yes, --yolo        The same as --mode auto.
      --allow RULE         Allow, such as 'Bash(npm test:*)' or 'FileWrite(docs/**)'. Repeat it.
      --deny RULE          Deny; wins over everything. Repeat it.
      --trust              Use what this folder brings along, in this run only.
Place:
  -C, --cwd DIR            Work folder; the current one if not given.
      --add-dir DIR        Let tools work in DIR too. Repeat it.
Input and output:
      --line               Talk line by line in plain scrollback; what TERM=dumb gets.
      --attach FILE        A picture, PDF or text that goes with the prompt. Repeat it.
      --stdin              Wait for standard input ('-' as the prompt does the same).
      --output-format F    text, json or stream-json.
      --json               The same as --output-format json.
      --input-format F     text or stream-json.
      --schema FILE|JSON   Demand an answer that is JSON by this schema.
  -o, --output-file FILE   Write the answer to FILE too.
  -q, --quiet              No notices on standard error.
  -v, --verbose            Tool calls and more on standard error.
      --lang en|zh         Language of texts and prompts.
      --color WHEN         auto, always or never; wins over NO_COLOR.
Limits:
      --max-rounds N       Rounds per turn.
      --max-cost USD       Cost of this run, all VPs together.
      --timeout T          Time for this run, such as 90s or 10m.
Other:
      --set KEY=VALUE      Set a key of config.toml for this run. Repeat it.
  -V, --version            Show the version.
  -h, --help               Show this text.

Commands:
  agent       List, show and follow sub-agents.
  artifact    Keep, list, show and compare what Sessions have made.
  completion  Shell completion for bash, zsh or fish.
  config      Show and change settings.
  demo        Try yeaft with a scripted model; no key needed.
  doctor      Check this machine and configuration.
  flow        Several VPs on one task, by patterns such as critic, plan or vote.
  graph       Run graphs of steps; look at runs, resume, cancel, retry them.
  help        Read about a topic.
  import      Take over what another agent keeps.
  keys        Keys of the full screen, as they are bound.
  local       Set up the embedded model.
  mcp         List, add, check servers of more tools.
  model       List models; show which one answers.
  perms       Show what may run unasked, and by which rule.
  replay      Rebuild and check what a Session sent to models.
  route       Show who would answer a text.
  search      Find what was said in any Session.
  session     List, show, rename, export, check, delete Sessions.
  skill       List and check skills and custom commands.
  task        List, follow, await and end background tasks.
  tool        List the tools of VPs.
  trust       See what a folder brings along, and agree to it.
  usage       Tokens and money, by day, VP, model or Session.
  vp          List, show, make, import virtual persons.

Exit codes: 0 answered, 1 failed, 2 usage, 3 a human is needed, 4 a limit was hit, 65 bad data, 66 not found,
69 provider down, 75 try again, 77 no credentials, 78 configuration, 130 interrupted.
"""


def fitted_help(lang: str) -> str:
    """Return the text in a language; at a terminal it is wrapped to fit."""
    from yeaft.interfaces.cli.terminal_text import terminal_columns, wrapped

    text = HELP
    if lang == "zh":
        from yeaft.interfaces.cli.help_text_zh import HELP_ZH

        text = HELP_ZH
    columns = terminal_columns(STDOUT)
    return text if columns is None else wrapped(text, columns)
