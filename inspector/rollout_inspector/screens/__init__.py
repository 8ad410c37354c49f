"""The screens of the terminal inspector, each with its `.tcss` beside it."""
