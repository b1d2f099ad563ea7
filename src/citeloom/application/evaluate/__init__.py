"""Measuring how good a project's passages are."""
