"""The work of `index` on a Ray cluster: one task a file or byte range of a file, rows in the order of one process.

Ray is imported when a cluster is asked for, never before. What a task needs to know of the rest of its file, names that
repeat and lines that could not be read, is found out first, in a pass of its own.
"""
