# %% [markdown]
# # Credit risk: rules that a committee can sign off
#
# A lender wants to say in advance which applications need a second look. The rules must fit on one
# page, a committee must be able to question each line, and an auditor must be able to check what
# is claimed of them.
#
# The table is made up by `loan_applications`, so that nobody's data are shown. It also means that
# we know the true rule, which real data never tell. We shall compare at the end.
#
# ## The table

# %%
from boolrules.data.datasets import loan_applications

applications, outcome = loan_applications(n_rows=1000)
applications.head()

# %% [markdown]
# One row per loan: numbers, text, and some incomes that nobody asked for. None of it has to be
# prepared. `outcome` says what became of the loan.

# %%
outcome.value_counts()

# %% [markdown]
# 300 loans are put aside. They take no part until the rules are settled.

# %%
from sklearn.model_selection import train_test_split

X, X_new, y, y_new = train_test_split(
    applications, outcome, test_size=300, random_state=0, stratify=outcome
)

# %% [markdown]
# ## The rules
#
# `max_complexity` is what the committee is willing to read: one for each clause, one for each
# condition. 6 allows, for instance, two clauses of two conditions each. `positive_label` is the
# label that the rules describe.

# %%
from boolrules import BooleanRuleClassifier

model = BooleanRuleClassifier(max_complexity=6, positive_label="defaulted").fit(X, y)
model.rule_set_

# %% [markdown]
# How to read a line:
#
# - *coverage*: so many of the 700 loans meet all conditions of the clause;
# - *precision*: this share of them defaulted;
# - *only here*: so many defaults are found by this clause and by no other. A clause with few of
#   them is one that the committee may want to do without.
#
# ## What is proved
#
# Is this a good rule set, or only the first that turned up? The certificate answers that.

# %%
print(model.certificate_)

# %% [markdown]
# The *Hamming loss* counts one for each default that no clause covers, and, for each loan that was
# repaid, one for each clause that covers it. No rule set of this form, of complexity 6 or less and
# built from the same conditions, loses less on these 700 loans. That is proved, in whole numbers,
# over all of them, not sampled. So nobody need ask whether a cleverer search would have found
# better rules of this size.
#
# What it does **not** say:
#
# - nothing about new loans. Rules can be optimal on the training data and wrong tomorrow;
# - nothing about other cut-offs than those on offer;
# - nothing about longer rules: 7 might be better than 6;
# - nothing about the other form. A CNF of the same complexity may lose less than the best DNF, and
#   the other way round: see [the two forms](../quickstart.md#and-of-ors);
# - nothing about causes. The rules describe who defaulted, not what would happen if a customer
#   changed;
# - nothing about fairness, or about loans that were never granted and so are not in the table.
#
# ## Cut-offs of your own
#
# By default the cut-offs are deciles of the data:

# %%
print(len(model.conditions_), "conditions, among them:")
print(*[c for c in model.conditions_ if c.feature == "debt_to_income"], sep=", ")

# %% [markdown]
# A credit policy has its own, and prefers round numbers:

# %%
from boolrules import FeatureBinarizer

policy = FeatureBinarizer(
    thresholds={
        "age": [25, 35, 50, 65],
        "income": [20, 30, 40, 60],
        "debt_to_income": [20, 30, 35, 40, 50],
        "years_employed": [1, 2, 5, 10],
    }
)
model = BooleanRuleClassifier(max_complexity=6, positive_label="defaulted", binarizer=policy)
model.fit(X, y)
print(model.rule_set_)
print(model.certificate_)

# %% [markdown]
# With other conditions on offer there is another optimum, and here a lower loss. Both certificates
# are true: each speaks of its own conditions.
#
# ## How good is it on new loans?
#
# The 300 loans that were put aside answer that. No certificate can.

# %%
print(f"accuracy on training loans: {model.score(X, y):.3f}")
print(f"accuracy on new loans: {model.score(X_new, y_new):.3f}")
print(f"calling every new loan 'repaid': {(y_new == 'repaid').mean():.3f}")

# %% [markdown]
# Accuracy hides which mistakes are made. A missed default costs a lender more than a second look
# at a sound application:

# %%
from sklearn.metrics import confusion_matrix


def mistakes(model):
    table = confusion_matrix(y_new, model.predict(X_new), labels=["repaid", "defaulted"])
    missed, needless = table[1, 0], table[0, 1]
    return f"{missed} of {table[1].sum()} defaults missed, {needless} needless second looks"


print(mistakes(model))

# %% [markdown]
# If a missed default is as bad as five needless second looks, say so. The Hamming loss then counts
# it five times, and the certificate speaks of that loss:

# %%
careful = BooleanRuleClassifier(
    max_complexity=6, positive_label="defaulted", binarizer=policy, missed_positive_cost=5
).fit(X, y)
print(careful.rule_set_)
print(careful.certificate_)
print(mistakes(careful))

# %% [markdown]
# The rules stay as they are, and are proved best at this price too. The defaults that they miss
# look like sound loans in every column, so paying more for them does not find them. In the
# tutorial [Medicine](medicine.md) the price does change the rules.
#
# ## How complex should the rules be?
#
# The training loss cannot tell: it only falls. Rows left out can. `BooleanRuleClassifierCV` learns
# rules of several complexities in each fold, scores them on the rows left out, and takes the
# simplest that are not clearly behind the best. The committee reads OR of ANDs, so the form stays;
# left out, it would be chosen as well. The cut-offs are those of the policy.

# %%
from boolrules import BooleanRuleClassifierCV

search = BooleanRuleClassifierCV(
    BooleanRuleClassifier(positive_label="defaulted", binarizer=policy),
    complexities=range(2, 9),
    forms=["dnf"],
    cv=5,
    n_repeats=1,
    time_limit=15,
    random_state=0,
).fit(X, y)
search

# %% [markdown]
# What to expect of rules learned in this way, on loans that took no part in learning or choosing:

# %%
print(search.held_out_)

# %% [markdown]
# The tutorial [Choosing a complexity](choosing_complexity.md) looks into this step.
#
# ## Why this applicant?
#
# Someone who is turned down has a right to the reason. `explain` gives the clauses that decided a
# row, or what kept the nearest one from doing so.

# %%
for explanation in search.explain(X_new[:3]):
    print("-", explanation)

# %% [markdown]
# ## Into production
#
# The rules are a few comparisons, so the database can apply them itself. No model server, no
# Python:

# %%
print(search.rule_set_.to_sql("sqlite", table="applications"))

# %% [markdown]
# It answers exactly as the model does. Here SQLite does it for the 300 new loans:

# %%
import sqlite3

database = sqlite3.connect(":memory:")
columns = ", ".join(X_new.columns)
database.execute(f"CREATE TABLE applications ({columns})")
database.executemany(f"INSERT INTO applications VALUES ({'?, ' * 6}?)", X_new.rows())
in_sql = [
    row[-1] for row in database.execute(search.rule_set_.to_sql("sqlite", table="applications"))
]
database.close()
print("The database and the model agree:", in_sql == search.predict(X_new).tolist())

# %% [markdown]
# ## What the auditor does
#
# The saved model holds the rules, the certificate and the numbers behind it. With the training
# data, anyone can check all of it. No solver takes part, and nothing has to be believed:

# %%
import pathlib
import tempfile

from boolrules import Model

file = pathlib.Path(tempfile.mkdtemp()) / "model.json"
search.save(file)
print(Model.load(file).verify(X, y))

# %% [markdown]
# On the command line that is `boolrules verify model.json training.csv`. It proves that the claim
# follows from these data. It does not prove that the data are right.
#
# ## The truth
#
# The applications were made up by this rule, after which one label in twenty was turned round:
#
# ```text
# IF   (missed_payments > 1 AND debt_to_income > 35)
#   OR (years_employed <= 1 AND housing == 'rent')
# THEN outcome is 'defaulted'
# ```
#
# The rules that were learned are the same. With the labels that were turned round nobody can do
# better than about 95 % on new loans, whatever the method. With real data there is no such page to
# look at: the loans that were put aside, and the committee's own judgement, are all there is.
