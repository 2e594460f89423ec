"""What people read: progress and results in the terminal."""
