package main
func main() { New() }
//            ^ -> nothing
