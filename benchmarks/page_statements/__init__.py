"""Pages typeset here, with statements about what a reader of them must yield."""
