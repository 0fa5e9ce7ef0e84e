"""Derivatives: the rule of each op (`rules`), reverse mode over the graph (`reverse`), and functions of functions (`transforms`)."""
