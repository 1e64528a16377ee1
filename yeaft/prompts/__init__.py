"""Find and fill the texts of `templates/`: prompts, notices, help."""
