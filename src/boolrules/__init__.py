"""Decision rules a person can read, with a proof of how close to optimal they are."""
