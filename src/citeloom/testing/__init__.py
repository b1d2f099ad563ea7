"""What adapters of other distributions are tested by: the promises of a vector index, an index in
memory that keeps them all, and chunks to fill both with. It needs pytest and hypothesis.
"""

import pytest

pytest.register_assert_rewrite("citeloom.testing.vector_index")
