"""What every room stands on: tables as people have them, budgets, JSON, HTML, optional imports."""
