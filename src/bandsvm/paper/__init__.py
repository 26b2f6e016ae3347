"""The paper's experiments: its figures drawn, its claims measured."""
