"""What a user starts with `/`: custom commands, skills, prompts of servers."""
