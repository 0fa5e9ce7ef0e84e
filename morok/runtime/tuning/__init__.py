"""Schedules found by search: candidates, the process that measures them, and the database of the winners (docs/tuning.md)."""
