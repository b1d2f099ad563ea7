"""What can be asked of a library: one dataclass a request, which every door takes as it is."""
