package strange
func Say() {}
