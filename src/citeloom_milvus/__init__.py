"""Milvus as a store."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # read when gRPC is loaded: it writes to stderr
