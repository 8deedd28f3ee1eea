"""What is proved of a rule set, and how anybody can prove it again.

Read ``certificate`` (the claim, a value), ``bound`` (what duals prove), ``gap`` (what a search of
all rule sets proves) and ``verification`` (``verify``), in this order. ``shared_proof`` is the
same for a path. Neither HiGHS nor scikit-learn is imported from here, not even by detours.
"""
