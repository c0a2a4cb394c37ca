package items

func Make() int { return 1 }
