"""One cluster of worker processes for all tests that need one."""

import pytest


@pytest.fixture(scope="session")
def client():
    pytest.importorskip("datasketches")  # Python 3.14 has none yet
    distributed = pytest.importorskip("distributed")
    import dask

    # Workers take their time on a busy machine; if none comes back, tests fail and do not hang.
    patient = {
        "distributed.comm.timeouts.connect": "120s",
        "distributed.scheduler.no-workers-timeout": "240s",
        # A worker that is started again has another address: its nanny is closed as if lost.
        "distributed.deploy.lost-worker-timeout": "1h",
    }
    with (
        dask.config.set(patient),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
