"""Disks that are full."""

import contextlib


@contextlib.contextmanager
def small_disk(n_bytes):
    """Let no file become larger, as on a disk that is full."""
    import resource

    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
