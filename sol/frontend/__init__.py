"""Turns framework models into graphs of sol's ops: a package per framework, and here what they share."""
