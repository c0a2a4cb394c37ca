//go:build linux && !android

package platform

import "golang.org/x/sys/unix"

// Größe heißt auf Deutsch so.
type Größe struct{ Ä, β int }
//   ^ def struct Größe
//                    ^ def field Größe.β

func ölen(größe Größe) (ß int) { return größe.Ä + ß }
//   ^ def function ölen
//              ^ -> 8
//                                      ^ -> 12
//                                                ^ -> 12

func Page() int { return unix.Getpagesize() }
//                       ^ -> None ?
