package lib
func hidden() {}
func Open() {}
