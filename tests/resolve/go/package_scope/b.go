package app
func (m *Mux) Use() string {
//       ^ -> a.go#Mux
	return m.path
	//       ^ -> a.go#Mux.path
}
