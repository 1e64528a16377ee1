"""Questions to the human: approvals with what they are about, and choices."""
