package app
var lines = []*Line{{From: P{}}}
//                   ^ -> a.go#Line.From
var byName = map[string]P{
	Key: {X: 1},
 // <- a.go#Key
	//    ^ -> a.go#P.X
}
var deep = map[string][]P{"": {{X: 1}}}
//                              ^ -> a.go#P.X
var table = Table{Key: 1}
//                ^ -> a.go#Key
var tests = []struct {
	name string
	p P
}{
	{name: "", p: P{X: 1}},
	//              ^ -> a.go#P.X
}
func f() {
	for _, tt := range tests {
		_ = tt.p.X
		//       ^ -> a.go#P.X
	}
	lines[0].To.X = byName[Key].X
	//       ^ -> a.go#Line.To
	//          ^ -> a.go#P.X
}
