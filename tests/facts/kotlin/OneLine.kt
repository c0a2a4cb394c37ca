package org.example

interface Sized { fun size(): Int }
//        ^ def interface Sized
//                    ^ def method Sized.size

class Box { val width = 1; val height = 2 }
//              ^ def property Box.width

enum class Color { RED, GREEN; fun next() = RED }
//                                 ^ def method Color.next
//                                          ^ -> 10

class Many { fun one() {} fun two() = one() }
//                            ^ def method Many.two
//                                    ^ -> 14

@Retention
internal annotation class Marked(val names: Array<String> = [])
//                        ^ def annotation Marked

class Outer {
    class Builder
    internal constructor(private val name: String) {
        //                           ^ def property Outer.Builder.name
        private var final = false
        fun build() = Outer().apply { final }
        //  ^ def method Outer.Builder.build
    }
}

@JvmName("renamed") fun original() {}
//                      ^ def function original
