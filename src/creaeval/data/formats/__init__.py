"""Files in a form of their own, one module each: it says whether a file has this form, and reads it."""
