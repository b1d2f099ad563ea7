"""Documents typeset here, whose text, order and places are known."""
