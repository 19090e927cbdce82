"""Privacy models: small objects that can be enforced while publishing and checked by an audit."""
