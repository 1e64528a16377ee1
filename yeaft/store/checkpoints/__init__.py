"""States of a work folder that can be brought back: how they are read, where they are kept, how they are restored."""
