plugins {
    kotlin("jvm") version "1.9"
    //            ^ member_call
}

val level = 17
//  ^ def property level

fun task(name: String) = name + level
//  ^ def function task
//                              ^ -> 6

tasks.register(task("a")) {
    description = "level $level"
    //                    ^ -> 6 ?
}
