"""Requirements: what they cost, what is proved of them, and what new rows say."""
