package broken

type before struct {
	name string
}

func unfinished(value before {
	value.name =
}

func after(value before) string {
//   ^ def function after
//               ^ -> 3
	return value.name
	//     ^ -> 11
}
