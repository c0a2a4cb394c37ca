package org.example

import org.other.shared
import org.other.Entry

private const val LIMIT = 10

/* What receivers, supertypes and overloads leave open. */
class Plain(val size: Int, plain: String) {
    val plain = plain
    //          ^ -> 9 ?

    fun size() = size
    //           ^ -> 9

    fun calls(handler: () -> Int) {
        size()
        // ^ -> 13 ?
        handler()
        // ^ -> 16 ?
        over(1)
        // ^ -> 41 ?
        shared()
        // ^ import org.other shared
        toString()
        // ^ member_call
        Entry.value
        // ^ import org.other Entry
        create(LIMIT)
        // ^ -> 48
        //     ^ -> 6
        Plain(1, "").size
        // ^ -> 9
        //           ^ member
        outside()
        // ^ unknown
        this@Plain.size
        //   ^ label
    }

    fun over(one: Int) {}
    fun over(one: String) {}

    fun Entry.extended() = value + size
    //                             ^ -> 9 ?

    companion object {
        fun create(count: Int): Plain = Plain(count, "")
        //                      ^ -> 9
        //                                    ^ -> 48
        private val cache = LIMIT
        //                  ^ -> 6
    }

    class Nested {
        fun deep(): Nested = Nested().also { create(LIMIT) }
        //          ^ -> 55
        //                                          ^ -> 6 ?
    }
}

class Child(private val repo: Repo) : Plain(1, ""), Named by repo {
    //                  ^ def property Child.repo
    //                                ^ -> 9
    //                                                       ^ -> 62
    override val name: String get() = repo.name + limit + LIMIT
    //                                ^ -> 62
    //                                            ^ unknown
    //                                                    ^ -> 6 ?
    fun find(one: Repo) = find(one)
    //            ^ -> 75 ?
    //                    ^ -> 70 ?
}

class Repo {
    fun load() = run { load() }
    //                 ^ -> 76 ?
    fun check(entry: Entry) = check(entry.ok)
    //                        ^ member_call
    fun top() = shared()
    fun shared() = shared(1)
    //             ^ -> 81 ?
}

class Holder<T : Any> {
    private var kept: T? = null
    //                ^ -> 85
    fun <R> map(change: (T) -> R): Holder<R> where R : T = Holder<R>()
    //                   ^ -> 85
    //                         ^ -> 88
    //                             ^ -> 85
    //                                                     ^ -> 85
}

enum class State {
    ON, OFF;

    fun flip() = if (this == ON) OFF else valueOf(name)
    //                       ^ -> 96
    //                           ^ -> 96
    //                                            ^ unknown
}

fun size(of: Plain) = of.size
