module linked

replace (
	example.org/app v1.2.3 => ../ // here
)
