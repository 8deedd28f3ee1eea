"""How far paths, alone and cross-validated, are proved within their time limits."""
