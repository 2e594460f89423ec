"""Methods side by side: on the same responses, with tests of their differences."""
