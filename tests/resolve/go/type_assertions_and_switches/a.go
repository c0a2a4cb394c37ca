package app
type A struct{ a int }
type B struct{ b int }
type Any interface{ Is() }
