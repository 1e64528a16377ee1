"""The journal and its back ends, blobs, the lock, the index: what is on disk and nothing about what it means."""
