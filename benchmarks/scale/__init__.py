"""Rows beyond one machine: equal answers, memory and time against rows, a cost model."""
