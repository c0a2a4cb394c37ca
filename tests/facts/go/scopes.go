package scopes

import (
	"net/url"
	"os"
)

type item struct{ next *item }

type size int

var count = 1

func parameters(url *url.URL, os os.File, item item) (size, error) {
//                   ^ import net/url net/url
//                               ^ import os os
//                                             ^ -> 8
//                                                    ^ -> 10
	return url.Port(), item
	//     ^ -> 14
	//                 ^ -> 14
}

func results() (value int, err error) {
	other, err := parameters(nil, nil, nil)
	//     ^ -> 24
	if value, err := other.f(); err != nil {
	// ^ -> 27
	//                          ^ -> 27
		err := err
//^ -> 30
		//     ^ -> 27
		return value, err
		//     ^ -> 27
		//            ^ -> 30
	} else if more := value; more > 0 {
	//                ^ -> 27
	//                       ^ -> 36
		value := more
		//       ^ -> 36
		_ = value
		//  ^ -> 39
//^ unknown
	} else {
		_, _ = err, more
		//     ^ -> 27
		//          ^ -> 36
//^ unknown
	}
	return value, err
	//     ^ -> 24
	//            ^ -> 24
}

func loops(count []size) {
//                 ^ -> 10
	for i := 0; i < len(count); i++ {
	//          ^ -> 57
	//                  ^ -> 55
		i := i
//^ -> 60
		//   ^ -> 57
		defer func() { println(i) }()
		//                     ^ -> 60
	}
	for index, count := range count {
	//                        ^ -> 55
		println(index, count, i)
		//      ^ -> 66
		//             ^ -> 66
		//                    ^ unknown
	}
	var key size
	for key = range count {
	//  ^ -> 73
		_ = key
		//  ^ -> 73
	}
	for range 3 {
		count := count
		//       ^ -> 55
		_ = count
		//  ^ -> 80
	}
}

func switches(value any) {
	switch value := value.(type) {
	//              ^ -> 87
	case item, *size:
	//   ^ -> 8
		_ = value
		//  ^ -> 88
	default:
		value := value
		//       ^ -> 88
		_ = value
		//  ^ -> 95
	}
	switch found := count; {
	//              ^ -> 12
	case found > 0:
	//   ^ -> 100
		local := found
		_ = local
		//  ^ -> 104
	case found < 0:
		_ = local
		//  ^ unknown
	}
	select {
	case message, ok := <-value.(chan size):
	//                    ^ -> 87
		_, _ = message, ok
		//     ^ -> 112
		//              ^ -> 112
	case value = <-other:
	//   ^ -> 87
	default:
		_ = ok
		//  ^ unknown
	}
}

func order() {
	var early size
	//        ^ -> 10
	count := count + early
	//       ^ -> 12
	const size = count
	//           ^ -> 128
	{
		_ = item(nil)
		//  ^ -> 8

		type item []item
		//          ^ -> 136
		_ = item(nil)
		//  ^ -> 136
	}
	_ = item{}
	//  ^ -> 8
	var closure func(n int) int
	closure = func(n int) int { return closure(n) + later }
//^ -> 143
	//                                 ^ -> 143
	//                                         ^ -> 144
	//                                              ^ unknown
	later := size
	//       ^ -> 130
outer:
	for {
		{
			later := later
			//       ^ -> 149
		}
		break outer
		//    ^ label
	}
	goto outer
	//   ^ label
}

func (item *item) String() string {
//          ^ -> 8
	String := item.String()
	//        ^ -> 164
	//             ^ member_call
	return String
	//     ^ -> 166
}

func callsMethodName() { String() }
//                       ^ unknown
