"""The contracts that every engine is held to, as functions that need no test framework, and planted faults that prove them sharp.
May import: everything below it: backends (the reference engine is the oracle), ports, policy, text, model, errors, clock.
Never does: being imported by the package's own code outside faces, knowing any engine but the reference, printing.
Start reading at: report.py for running them, scene.py and store.py for what they ask."""
