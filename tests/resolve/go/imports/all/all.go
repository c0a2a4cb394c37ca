package all
func Every() {}
