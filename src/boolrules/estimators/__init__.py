"""What scikit-learn knows: the classifier, its cross-validation, the binarizer, and paths."""
