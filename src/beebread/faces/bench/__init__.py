"""Purpose: measuring what comes back: data sets, systems that are asked, measures of their answers, and the table of them.
May import: the rest of faces and everything below.
Never does: writing to a terminal, asking one set otherwise than another, telling a system what kind a question is.
Start reading at: run.py, then measures.py."""
