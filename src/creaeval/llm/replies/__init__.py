"""What models reply: read, repaired where that is certain, or sent back with what is wrong."""
