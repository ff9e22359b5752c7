"""The NLBSE'24 tool competition: issue reports and code comments (Kallis et al., 2024)."""
