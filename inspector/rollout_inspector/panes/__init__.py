"""The widgets of the terminal inspector, one a file."""
