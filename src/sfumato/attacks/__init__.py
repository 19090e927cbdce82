"""Attacks: what an adversary does to a publication, as code that can be run against it."""
