"""Messages, ids, errors, outcomes, usage and the clock: values everything else speaks in. No I/O."""
