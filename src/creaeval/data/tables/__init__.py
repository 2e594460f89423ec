"""Tables of every kind of file as text: how they are opened, what their headers mean, what is in rows."""
