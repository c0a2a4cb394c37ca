package log

var level = 1
