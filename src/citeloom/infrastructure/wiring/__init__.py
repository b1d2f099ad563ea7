"""The one place that builds: from settings to a library that is ready to use."""
