"""What choosing by rows left out costs, and what it comes to beside rivals."""
