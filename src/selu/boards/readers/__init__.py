"""Tables of scores in whatever form, read: CSV, Markdown, workbooks and JSON."""
