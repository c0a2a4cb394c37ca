"""What the commands do: assemble, call one operation, and put the outcome into words."""
