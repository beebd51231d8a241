"""Purpose: from what was said to what holds: which memory of a slot is true when. Pure.
May import: model, errors, clock, policy, text, ports.
Never does: storing, or judging by similarity alone.
Start reading at: reconcile.py."""
