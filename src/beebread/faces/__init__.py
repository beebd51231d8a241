"""Purpose: the doors by which people and programs come in: Python, command line.
May import: everything below.
Never does: authorising, ranking, storing; a face makes a Principal and a request, and calls one operation.
Start reading at: async_client.py, then client.py and cli.py."""
