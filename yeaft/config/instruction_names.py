"""What instruction files are called, for all who read them, show them, or guard them against being written."""

SHARED = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".goosehints", ".cursorrules")
"""What is looked for in each folder of a project, unless the settings say otherwise; the first that is there counts."""
LOCAL = ("AGENTS.local.md", "CLAUDE.local.md")
"""The user's own additions beside what the project shares."""
