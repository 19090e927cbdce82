"""Reading sources; writing and opening releases."""
