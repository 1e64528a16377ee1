"""Files that go with what the user says."""
