"""Audit: every claim derived again from the written files, by code that no method uses."""
