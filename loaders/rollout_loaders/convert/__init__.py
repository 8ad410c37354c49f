"""The one conversion core (CONTRACT 4): every reader's sessions become turns and readings here."""
