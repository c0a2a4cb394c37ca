package app
func f(c Config) {
	_ = c.HTTP.Port
	//         ^ -> a.go#Config.HTTP.Port
	type local struct {
		field int
	}
	v := local{field: 1}
	//         ^ -> #f.local.field
	_ = v.field
	//    ^ -> #f.local.field
}
