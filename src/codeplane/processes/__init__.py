"""Starts child processes, bounds them, and kills their whole tree. Nothing else in CodePlane starts one."""
