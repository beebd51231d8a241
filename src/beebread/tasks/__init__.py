"""Purpose: what a task is at: the rules of its state, and which states a turn needs.
May import: model, errors, clock, policy, text, ports.
Never does: storing (an engine's States does), authorising (service does).
Start reading at: state.py."""
