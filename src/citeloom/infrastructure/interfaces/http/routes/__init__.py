"""The routes of the API, a module for each thing it is about."""

PREFIX = "/api/v1"
