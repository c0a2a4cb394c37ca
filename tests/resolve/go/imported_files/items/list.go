package items

func List() int { return Make() }
