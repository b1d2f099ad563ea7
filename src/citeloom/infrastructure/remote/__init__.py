"""Requests to services: where a service is, what it is asked and how its failures are told."""
