"""Answering questions with sentences that the program has verified."""
