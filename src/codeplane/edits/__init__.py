"""One atomic change of many files: plan, locate, apply, recover, roll back, delta."""
