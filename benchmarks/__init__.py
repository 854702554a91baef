"""Benchmarks: CPU time and counts, never wall time.

One BLAS thread, unless the caller says otherwise: on few cores waiting threads spin, and what they burn is counted too.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
