package log

func init() {}
