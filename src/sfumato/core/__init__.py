"""What every room needs: errors, answers, runs, and the catalogue."""
