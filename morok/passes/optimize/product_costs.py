"""What the parts of a product's schedule cost, in cycles, as measured."""
CONTIGUOUS, STRIDED = 2.0, 26.0
"""Cycles to put a vector into a panel from consecutive elements, and from one place for each lane."""
TILE_OVERHEAD = 30.0
"""Cycles that a register tile takes beside its sum: loop, addresses, epilogue."""
MISSES = 12.0
"""Cycles more of a step of the sum whose row elements lie on a page of memory of their own; where several steps share one, each has its part of them, for
processors fetch lines ahead within a page."""
COMPUTING = 1.5
"""Cycles more per row of a step that does not load the row element but computes it: a conversion, a gate."""
DISTANT, DISTANT_LINE = 8.0, 3.0
"""Cycles that a step of the sum waits for a column tile's part of a row that comes from memory, on a page of its own: once, and for each line."""
FIRST_CACHE, SECOND_CACHE_LINE = 1 << 15, 2.5
"""Bytes of a panel from which on it comes from the second cache, and cycles that a line of it takes."""
REREADING, NEAR_PAGES = 1.0, 64
"""Cycles more that a vector takes from rows far apart than from a panel, and up to how many pages those lie on that cost nothing: processors know the
addresses of so many."""
MEMORY_LINE = 8.0
"""Cycles that a line takes which is read in order from memory."""
LANES_ADDED = 8.0
"""Cycles to add up the lanes of one vector."""
ROW_LINE = 0.5
"""Cycles that a line of the row factor takes which the second cache no longer has when the next column tile needs it."""
ROUND_OVERHEAD = 40.0
"""Cycles that a register tile takes in each block of a sum: as TILE_OVERHEAD, and a branch on whether it is the first."""
