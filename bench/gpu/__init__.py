"""What `make test-gpu` does on a GPU: a part each, which run.py runs one after the other."""
