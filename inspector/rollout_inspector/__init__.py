"""The command line (`cli`, `commands`, `reports`) and the terminal inspector (`app`, `screens`, `panes`)."""
