"""Tables of the competition: those of the paper, and those of its data and of runs made here."""
