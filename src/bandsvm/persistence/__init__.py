"""Models as files that other programs read, and back: one file a format."""
