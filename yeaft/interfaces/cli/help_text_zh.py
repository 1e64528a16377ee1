"""The text of `yeaft --help` in Chinese."""

HELP_ZH = """\
用法：yeaft [选项] [提示]
      yeaft 命令 [参数]...

把问题交给一组虚拟人物（VP）。想问谁就提到谁："@builder 修好它"。
通过管道传入的数据会加到提示里。

  yeaft "这个仓库是做什么的？"
  git diff | yeaft -p "@reviewer @skeptic 审阅这个改动"
  yeaft -c "那么测试呢？"

会话：
  -p, --print              下一个参数就是提示，即使它是某个命令的名字。
  -c, --continue           继续这个文件夹里最近的会话。
  -r, --resume ID|NAME     按编号、独一无二的编号开头或名称继续一个会话。
      --fork               与 -c 或 -r 同用：在副本里继续。
      --at MESSAGE         与 --fork 同用：副本停在那条消息（编号或序号）之前。
      --continue-turn      与 -c 或 -r 同用：做完崩溃时没有做完的轮次。
      --name NAME          给新会话起名。
      --take-over          接手锁在另一台机器上的会话。
谁来回答：
      --vp NAME            新会话的 VP，按顺序；第一个是默认。可重复。
  -m, --model [P/]MODEL    这次运行用的模型。
      --effort LEVEL       low、medium、high、xhigh、max：以模型支持的为限。
权限：
      --mode MODE          ask、edits、plan 或 auto。
  -y, --yes, --yolo        等于 --mode auto。
      --allow RULE         允许，例如 'Bash(npm test:*)' 或 'FileWrite(docs/**)'。可重复。
      --deny RULE          禁止；优先于一切。可重复。
      --trust              仅在这次运行中使用这个文件夹带来的东西。
位置：
  -C, --cwd DIR            工作文件夹；不给就是当前文件夹。
      --add-dir DIR        让工具也能在 DIR 里工作。可重复。
输入和输出：
      --line               逐行对话，普通滚动输出；TERM=dumb 时自动使用。
      --attach FILE        随提示附上图片、PDF 或文本。可重复。
      --stdin              等待标准输入（用 '-' 作提示也一样）。
      --output-format F    text、json 或 stream-json。
      --json               等于 --output-format json。
      --input-format F     text 或 stream-json。
      --schema FILE|JSON   要求回答是符合这个 schema 的 JSON。
  -o, --output-file FILE   把回答也写入 FILE。
  -q, --quiet              标准错误上不出通知。
  -v, --verbose            在标准错误上显示工具调用等。
      --lang en|zh         文字和提示的语言。
      --color WHEN         auto、always 或 never；优先于 NO_COLOR。
限制：
      --max-rounds N       每一轮对话的请求次数。
      --max-cost USD       这次运行的费用，所有 VP 合计。
      --timeout T          这次运行的时间，例如 90s 或 10m。
其他：
      --set KEY=VALUE      为这次运行设置 config.toml 的一个键。可重复。
  -V, --version            显示版本。
  -h, --help               显示这段文字。

命令：
  agent       列出、查看、跟踪子代理。
  artifact    保存、列出、查看、比较会话的产物。
  completion  bash、zsh 或 fish 的补全。
  config      查看和修改设置。
  demo        用脚本模型试用 yeaft；不需要密钥。
  doctor      检查这台机器和配置。
  flow        几位 VP 按模式合做一个任务，例如 critic、plan、vote。
  graph       运行由步骤组成的图；查看、继续、取消、重试运行。
  help        阅读某个主题。
  import      接管另一个智能体程序保存的东西。
  keys        全屏界面的按键，按实际绑定列出。
  local       安装内置模型。
  mcp         列出、添加、检查提供更多工具的服务器。
  model       列出模型；看由哪个回答。
  perms       查看什么不经询问就能运行，依据哪条规则。
  replay      重建并核对一个会话发给模型的内容。
  route       看一段文字会由谁回答。
  search      查找任何会话里说过的话。
  session     列出、查看、改名、导出、检查、删除会话。
  skill       列出并检查技能与自定义命令。
  task        列出、跟踪、等待、结束后台任务。
  tool        列出 VP 的工具。
  trust       查看文件夹带来什么，并同意使用。
  usage       按日期、VP、模型或会话统计词元和费用。
  vp          列出、查看、新建、导入虚拟人物。

退出码：0 已回答，1 失败，2 用法，3 需要人，4 到达上限，65 数据有误，66 找不到，69 服务方连不上，75 稍后再试，
77 没有凭据，78 配置，130 被中断。
"""
