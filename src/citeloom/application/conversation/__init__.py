"""Conversations: questions that follow one another, answered and kept."""
