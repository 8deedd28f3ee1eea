"""The engine for a GPU beside the compiled one."""
