"""The public data that ``creaeval data fetch`` gets: where they lie and what must be made of them."""
