"""The paper's algorithm: master, pricing, the loop, and the choice of a rule set.

``column_generation`` is the loop, ``incumbent`` keeps the best rule set, ``learner`` has it done
for every class, and ``reading`` reads what comes out as rules and certificates.
"""
