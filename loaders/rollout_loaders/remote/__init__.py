"""Objects behind URLs, read by ranges (extra `remote`): s3://, gs://, https://, and http:// on loopback.

Nothing here is reached but by a URL that the user gave, or by a row of an index that the user named and reads a rollout
of. fsspec and its file systems are imported when the first byte is asked for.
"""
