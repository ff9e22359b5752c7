"""Where bytes come from, and safe readers that check them before they are used."""
