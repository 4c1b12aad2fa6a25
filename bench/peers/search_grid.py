"""The pairs of lengths that every search tries, each once: 200 trials. No fast average is as long as a slow one."""

FAST_LENGTHS = list(range(5, 51, 5))
SLOW_LENGTHS = list(range(60, 251, 10))
TRIALS = len(FAST_LENGTHS) * len(SLOW_LENGTHS)
