"""Engines behind the sockets of beebread.ports: one engine in a file or a few files of one prefix; the dict engine is the oracle.
May import: ports, policy, text, model, errors, clock, and the driver of its own engine.
Never does: deciding who may see what (policy says it, an engine repeats it), calling another room, talking HTTP.
Start reading at: reference.py."""
