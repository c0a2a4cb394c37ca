package main
func help() {}
