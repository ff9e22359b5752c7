"""Answers by retrieval: the file at fault among paths, a question's answer among those of others."""
