"""Settings: what the user configured, from files, environment and flags, as frozen values."""
