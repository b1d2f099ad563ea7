"""What every vector index promises, as tests: a module that imports all of this, and has a fixture
`index` for the module, runs them for that index.

The fixture yields an open `VectorIndex`. Each test has a collection of its own in it, or one that
is read by several; all are dropped.
"""

from citeloom.testing.vector_index.collections import *  # noqa: F403 - the promises are the tests
from citeloom.testing.vector_index.filled import *  # noqa: F403
from citeloom.testing.vector_index.searching import *  # noqa: F403
from citeloom.testing.vector_index.selections import *  # noqa: F403
from citeloom.testing.vector_index.writing import *  # noqa: F403
