package lib
func Do() {}
