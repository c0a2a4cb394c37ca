package lib_test
func helper() {}
