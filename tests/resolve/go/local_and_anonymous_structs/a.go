package app
type Config struct {
	HTTP struct {
		Port int
	}
}
