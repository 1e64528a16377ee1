"""Line mode: a conversation in plain scrollback, for dumb terminals, screen readers and whoever likes it so."""
