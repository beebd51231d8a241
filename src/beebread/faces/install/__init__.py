"""Purpose: writing the memory into the settings of the programs that agents live in, and taking it out again.
May import: errors, settings; tomlkit here alone, inside the function that needs it.
Never does: change anything else in those files, overwrite what is not its own, write where it was asked to show.
Start reading at: clients.py, then files.py and jsonc.py."""

from __future__ import annotations

from beebread.faces.install.clients import CLIENTS, Client, Entry, server
from beebread.faces.install.files import Change, changed, shown

__all__ = ["CLIENTS", "Change", "Client", "Entry", "changed", "server", "shown"]
