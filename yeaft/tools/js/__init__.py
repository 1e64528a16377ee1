"""Node processes that keep the state of some JavaScript."""
