"""The library and its projects: every use case, built from the settings when it is called."""
