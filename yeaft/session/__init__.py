"""A Session: seats, mailboxes, routing, approvals, history."""
