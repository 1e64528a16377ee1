"""The user's own commands that listen in on a Session, and may object to what is about to happen."""
