"""Readers of SELU's upstream formats: raw tables by file name in, the one table of rows out; all are pure."""

from __future__ import annotations

from selu.benchmarks.selu.readers import comments, intentions, texts, tokens
from selu.benchmarks.selu.readers._parts import Raw, Reader
from selu.benchmarks.selu.readers.package import package

READERS: dict[str, Reader] = {
    "package": package,
    "comment_type_java": comments.wide("java", comments.JAVA),
    "comment_type_java_long": comments.long("java", comments.JAVA),
    "comment_type_pharo": comments.wide("pharo", comments.PHARO),
    "comment_type_pharo_long": comments.long("pharo", comments.PHARO),
    "comment_type_python": comments.wide("python", comments.PYTHON),
    "comment_type_python_long": comments.long("python", comments.PYTHON),
    "commit_intention": texts.commit_intention,
    "functional_requirement": texts.functional_requirement,
    "incivility": texts.incivility,
    "issue_intention": intentions.table,
    "issue_intention_files": intentions.files,
    "quality_requirement": texts.quality_requirement,
    "question_features": texts.question_features,
    "requirement_completion": tokens.requirement_completion,
    "review_aspect": texts.review_aspect,
    "se_entities": tokens.se_entities,
    "security_requirement": texts.security_requirement,
    "sentiment": texts.sentiment,
    "smell_doc": texts.smell_doc,
    "story_points": texts.story_points,
    "tone_bearing": texts.tone_bearing,
}

__all__ = ["READERS", "Raw", "Reader"]
