"""Data as sfumato holds it: schema, hierarchies, tables."""
