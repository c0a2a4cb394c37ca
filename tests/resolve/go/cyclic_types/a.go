package app
type A = B
type B = A
type C D
type D C
type E struct{ *F }
type F struct{ *E }
type G[T any] struct{ *G[[]T] }
var v = w
var w = v
