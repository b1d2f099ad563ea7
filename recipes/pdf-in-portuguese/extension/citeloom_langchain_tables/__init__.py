"""LangChain's collections in PostgreSQL: `url = "postgresql+langchain://…"` under [store]."""
