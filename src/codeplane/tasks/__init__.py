"""Sessions, tasks, budgets, handles and read history."""
