"""The torture suite: what the library must survive, and what it must never say."""
