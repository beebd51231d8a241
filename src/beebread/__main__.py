"""`python -m beebread` is the `beebread` command."""

from beebread.faces.cli import main

main()
