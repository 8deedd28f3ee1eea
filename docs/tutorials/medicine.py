# %% [markdown]
# # Medicine: which tumours need a second look?
#
# 569 breast tumours, each measured under the microscope: size, shape and texture of the cell
# nuclei. 212 turned out to be malignant. The table comes with scikit-learn (Wisconsin, 1995). We
# look for a rule that a clinician can apply by hand, and ask what may be concluded from it.
#
# This is an example of a method, not of a test for patients.
#
# ## The table

# %%
from boolrules.data.datasets import breast_cancer

tumours, diagnosis = breast_cancer()
print(tumours.shape)
tumours.select("mean_radius", "mean_texture", "area_error", "worst_area").head(3)

# %% [markdown]
# Of each measure there is a *mean* over the nuclei of a tumour, an *error*, and the *worst*, the
# mean of the three largest. 200 tumours are put aside before anything is learned.

# %%
from sklearn.model_selection import train_test_split

X, X_new, y, y_new = train_test_split(
    tumours, diagnosis, test_size=200, random_state=0, stratify=diagnosis
)

# %% [markdown]
# ## A rule that fits on a card

# %%
from boolrules import BooleanRuleClassifier

model = BooleanRuleClassifier(max_complexity=5, positive_label="malignant").fit(X, y)
model.rule_set_

# %%
model.certificate_

# %% [markdown]
# Among all rules of this form and length over the cut-offs on offer, none has a lower Hamming loss
# on these 369 tumours: missed malignant tumours plus false alarms, a benign tumour counting once
# for every clause that covers it. So if the rule is not good enough, searching longer will not
# help. More conditions, other measures or more patients might.
#
# ## What counts in the clinic
#
# The two kinds of mistakes are not alike. *Sensitivity* is the share of malignant tumours that the
# rule finds, *specificity* the share of benign ones that it leaves alone. Both on the 200 tumours
# put aside, which the certificate says nothing about:

# %%
from sklearn.metrics import recall_score


def in_the_clinic(model):
    answers = model.predict(X_new)
    sensitivity = recall_score(y_new, answers, pos_label="malignant")
    specificity = recall_score(y_new, answers, pos_label="benign")
    return f"sensitivity {sensitivity:.3f}, specificity {specificity:.3f}"


print(in_the_clinic(model))

# %% [markdown]
# To miss a malignant tumour is far worse than to look again at a benign one. How much worse is not
# for a computer to say. Suppose ten times:

# %%
careful = BooleanRuleClassifier(
    max_complexity=5, positive_label="malignant", missed_positive_cost=10
).fit(X, y)
careful

# %%
print(in_the_clinic(careful))

# %% [markdown]
# A missed malignant tumour now counts ten in the Hamming loss, and the certificate speaks of that
# loss. The rule covers more: fewer tumours are missed, and more benign ones are looked at again.
# With 200 tumours, 75 of them malignant, these figures are rough: two tumours more or less are
# within chance.
#
# ## The same the other way round
#
# Some prefer a rule that says when a tumour may be left alone. In CNF every line is a test that
# must be passed, and a tumour that fails one of them is not called benign:

# %%
alone = BooleanRuleClassifier(max_complexity=5, positive_label="benign", form="cnf").fit(X, y)
print(alone.rule_set_)
print(alone.certificate_)
print(in_the_clinic(alone))

# %% [markdown]
# ## How long should the rule be?

# %%
from boolrules import BooleanRuleClassifierCV

search = BooleanRuleClassifierCV(
    BooleanRuleClassifier(positive_label="malignant", missed_positive_cost=10),
    complexities=[2, 3, 4, 5],
    forms=["dnf"],
    cv=3,
    n_repeats=1,
    time_limit=15,
    scoring="balanced_accuracy",
    random_state=0,
).fit(X, y)
print(f"complexity at most {search.best_complexity_}: {in_the_clinic(search)}")

# %% [markdown]
# ## Why this patient?

# %%
answers = search.predict(X_new)
is_missed = (answers == "benign") & (y_new == "malignant").to_numpy()
for explanation in search.explain(X_new.filter(is_missed | (answers == "malignant")).head(3)):
    print("-", explanation)
print(is_missed.sum(), "malignant tumours are missed")

# %% [markdown]
# ## On paper, and in the hospital's database

# %%
print(search.rule_set_.to_latex())
print(search.rule_set_.to_sql("postgres", table="tumours"))

# %% [markdown]
# ## Checking the claim
#
# Whoever has the 369 training tumours can check everything that is claimed, in whole numbers and
# without a solver:

# %%
print(search.verify(X, y))

# %% [markdown]
# ## What may be concluded, and what may not
#
# - *Optimal* is about the training tumours, the cut-offs on offer, this length and this form. A
#   CNF of the same complexity may lose less than the best DNF, and the other way round: see
#   [the two forms](../quickstart.md#and-of-ors). The sensitivity on new tumours was estimated, on
#   200 of them, not proved.
# - The rule is an association. Nothing here says that a large nucleus causes a tumour to be
#   malignant, or what treatment would do.
# - The tumours come from one clinic, thirty years ago. In another clinic the measures may be
#   distributed in another way; the cut-offs then mean something else, and the certificate does
#   not know.
# - Somebody chose these 569 tumours. Where malignant ones are rarer than here, more of the alarms
#   are false, at the same sensitivity and specificity.
# - A different training sample would have given a somewhat different rule, and even on this one
#   there may be others as good: [Alternatives](../alternatives.md) lists them.
