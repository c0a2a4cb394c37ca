package app
func f(h H) {
	open()
 // <- a_linux.go#open, a_windows.go#open
	_ = h.fd
	//    ^ -> a_linux.go#H.fd, a_windows.go#H.fd
}
