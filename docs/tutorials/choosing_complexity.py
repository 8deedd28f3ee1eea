# %% [markdown]
# # Choosing a complexity
#
# Short rules are easy to read and may miss what matters. Long ones fit the training data ever more
# closely, noise included. This tutorial shows both, and how rows left out choose between them.
#
# The loans are made up by `loan_applications`. Its true rule has complexity 6, and one label in
# twenty is wrong on purpose, so we can see when the rules begin to learn mistakes by heart.

# %%
from boolrules.data.datasets import loan_applications

applications, outcome = loan_applications(n_rows=3000, random_state=1)
X, y = applications[:200], outcome[:200]
X_new, y_new = applications[200:], outcome[200:]

# %% [markdown]
# 200 loans to learn from. The other 2,800 stand for the future: no one has that many in practice,
# but here they show what would have happened.
#
# ## What each complexity buys
#
# `complexity_path` learns rules for a whole range of complexities in one run, each with its
# certificate.

# %%
from boolrules import complexity_path

path = complexity_path(X, y, complexities=range(2, 13), positive_label="defaulted", time_limit=10)
print(path)

# %% [markdown]
# The loss never rises, and cannot: whatever is allowed at 6 is allowed at 7 as well. *Optimal*
# means that no rules of that complexity lose less on these 200 loans. The efficient points with
# their rules:

# %%
path

# %% [markdown]
# ## What the future says

# %%
for point in path.efficient:
    known, new = (point.classifier.score(*rows) for rows in ((X, y), (X_new, y_new)))
    print(f"complexity {point.complexity:>2}: training {known:.3f}, new loans {new:.3f}")

# %% [markdown]
# The accuracy on the training loans rises to the end. On new loans it rises as far as the true
# rule reaches, and then falls: what comes after is noise, learned by heart. The certificates are
# right all the way. A rule set can be proved optimal on the training data and still be too long.
#
# ## Letting rows left out choose
#
# In practice there is no future to look at. `BooleanRuleClassifierCV` makes do with the 200 loans:
# it learns on four fifths of them, judges on the last fifth, and takes turns. 0 is no rules at
# all, which is what rules have to beat.

# %%
from boolrules import BooleanRuleClassifier, BooleanRuleClassifierCV

search = BooleanRuleClassifierCV(
    BooleanRuleClassifier(positive_label="defaulted"),
    complexities=[0, *range(2, 13)],
    forms=["dnf"],
    thresholds=None,
    proves="path",
    time_limit=20,
    random_state=0,
).fit(X, y)
search

# %% [markdown]
# There are few rows, so this is done in three rounds, time allowing, with the rows divided anew in
# each. And the picture. On the left is the loss on the training loans; a filled point is proved
# optimal, a hollow one is not, and its bar ends at the proved lower bound. On the right is the
# accuracy on rows left out, with its standard error. A ring marks the choice.

# %%
from boolrules import plot_path

figure = plot_path(search.path_, cv_results=search.cv_results_, chosen=search.best_complexity_)

# %% [markdown]
# The rule of choice is not simply the highest point. Where rules are behind the best by less than
# half a standard error of the difference, on the same rows, the folds cannot tell them apart, and
# the simplest of them is taken. `choice="best"` takes the highest point instead.
#
# ## How good is the chosen rule set?
#
# `best_score_` is the best of twelve scores, and the best of many is a little too good. So
# `held_out_` lets the other folds choose for each fold, and judges that choice on the fold: no
# loan has a say in the rules by which it is answered.

# %%
search.held_out_

# %% [markdown]
# Here the future is at hand, and we can see how near that came:

# %%
print(f"best_score_ {search.best_score_:.3f}, held_out_ {search.held_out_.accuracy:.3f}")
print(f"on new loans {search.score(X_new, y_new):.3f}")

# %% [markdown]
# ## Other things to choose
#
# By default the form and how fine the thresholds are get chosen as well. It is what you have if
# you give no parameter at all, but for the positive label; here in one round, to be quick:

# %%
wider = BooleanRuleClassifierCV(
    BooleanRuleClassifier(positive_label="defaulted"), n_repeats=1, time_limit=20, random_state=0
).fit(X, y)
print(wider.best_params_)
print(wider.rule_set_)
print(wider.held_out_)

# %% [markdown]
# What you know, say: `forms=["dnf"]` where readers know OR of ANDs, `thresholds=None` with
# cut-offs of your own, `scoring="balanced_accuracy"` where one label is rare.
#
# [Choosing the complexity](../path.md) has the details, what was tried before the defaults were
# settled, and the command line.
