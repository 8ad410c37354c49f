"""Placeholder until its first public name lands."""
