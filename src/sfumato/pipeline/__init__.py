"""The single door for adapters: jobs in, publications, verdicts, answers and reports out."""
