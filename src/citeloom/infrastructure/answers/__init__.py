"""How results are written for whoever reads them: JSON, Markdown, links and safe text."""
