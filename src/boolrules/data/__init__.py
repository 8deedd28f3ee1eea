"""From a table to numbers: labelled rows, conditions as bins, what is demanded, samples.

``labelled_rows`` has the one definition of what a row weighs, ``encoding`` how a column becomes
bin codes, ``problem`` what a rule set may have, ``samples`` what the solver may ask of rows
wherever they are, and ``training_set`` the rows in memory.
"""
