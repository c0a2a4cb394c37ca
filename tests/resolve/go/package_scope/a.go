package app
type Mux struct {
	path string
}
func New() *Mux { return &Mux{path: ""} }
//                            ^ -> #Mux.path
const Limit = 3
