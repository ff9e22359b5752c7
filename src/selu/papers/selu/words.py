"""The names of declared values in SELU's tables and figures: the paper's own short words."""

from __future__ import annotations

from selu.vocabulary import Activity, Family, Kind

FAMILIES = {
    Family.CODE_ADJACENT: "Code-adjacent metadata",
    Family.CORE_NON_CODE: "Core non-code",
    Family.DEVELOPER_COMMUNICATION: "Developer communication",
}
ACTIVITIES = {
    Activity.REQUIREMENTS_ANALYSIS: "Requirements analysis",
    Activity.SOFTWARE_DESIGN: "Software design",
    Activity.SOFTWARE_DEVELOPMENT: "Software development",
    Activity.QUALITY_ASSURANCE: "Quality assurance",
    Activity.SOFTWARE_MAINTENANCE: "Software maintenance",
    Activity.SOFTWARE_MANAGEMENT: "Software management",
}
TYPES: dict[str, str] = {  # Table I
    Kind.BINARY: "Binary",
    Kind.MULTI_CLASS: "Multi-class",
    Kind.MULTI_LABEL: "Multi-label",
    Kind.REGRESSION: "Regr.",
    Kind.ENTITIES: "NER",
    Kind.MASKED: "MLM",
}
SOURCES = {  # Table II
    "api_documentation": "API documentations",
    "app_store": "App stores",
    "developer_forum": "Developer forums",
    "issue_tracker": "Issue tracking systems",
    "mailing_list": "Mailing lists",
    "requirements_specification": "Requirements specifications",
}
MAGNITUDES = {"negligible": "neg.", "small": "sml.", "medium": "med.", "large": "lar."}  # Table IV
EMPTY = "-"
