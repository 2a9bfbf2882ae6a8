"""Mutation tests: run the tests against copies of the package with one small change."""
