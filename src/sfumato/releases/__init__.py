"""Release forms: what can be published, and what it claims."""
