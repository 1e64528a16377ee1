"""Runs in a Session's journal: driven, leased, cancelled, forked, replayed, and their steps done."""
