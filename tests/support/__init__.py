"""Helpers of the test suite: clauses, targets, launching, expected errors."""
