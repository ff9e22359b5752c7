"""The filters of section 3.3, and the funnel that they make."""
