"""Refactorings: a plan computed from one epoch, which is inspected and then applied as one mutation."""
