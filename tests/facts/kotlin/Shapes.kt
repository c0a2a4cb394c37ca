@file:JvmName("Shapes")

package org.example

import java.util.concurrent.TimeUnit
import kotlin.math.*
import java.util.Locale as Language

/**
 * A shape, see [Circle] and [the other][Square].
 *
 * Second paragraph.
 * @param T not shown
 */
@Suppress("unused")
abstract class Shape<T : Comparable<T>>(val name: String, private var sides: Int = 4, first: T) : Base(name), Named {
    //         ^ def class Shape
    //                                      ^ def property Shape.name
    //                                                                                            ^ unknown
    //                                                                                                 ^ -> 16
    private val kept: T = first
    //          ^ def property Shape.kept
    //                    ^ -> 16

    var width: Int = 1
        get() = field + sides
        //      ^ name
        //              ^ -> 16
        set(value) {
            field = value
            //      ^ -> 29
        }

    @Volatile
    lateinit var label: String
    //           ^ def property Shape.label

    val unit by lazy { TimeUnit.DAYS }
    //                 ^ import java.util.concurrent TimeUnit

    init {
        val start = first
        //          ^ -> 16
    }

    constructor(text: String) : this(text, 1, text as T) {
        println(text)
        //      ^ -> 46
    }

    /** The area in `m`. */
    abstract fun area(): Double
    //           ^ def method Shape.area

    protected open fun <R> List<R>.convert(vararg rest: Int, last: R = get(rest[0])): R where R : T = last
    //                             ^ def method Shape.convert
    //                                                                     ^ -> 55
    //                                                                                                ^ -> 55

    inner class Part : Shape<T>(name)
    //                 ^ -> 16 ?
    //                          ^ -> 16

    companion object {
        const val MAX = 3
        //        ^ def property Shape.Companion.MAX
        fun of(text: String): Shape<*> = TODO()
        //  ^ def method Shape.Companion.of
    }

    fun limit() = MAX
    //            ^ -> 65
}

data class Circle(val radius: Double) { val area = radius * PI }
//                                          ^ def property Circle.area
//                                                 ^ -> 75

enum class Kind(val code: Int) {
    ROUND(1) {
        override fun next() = SQUARE
        //           ^ def method Kind.ROUND.next
        //                    ^ -> 86 ?
    },
    @Deprecated("x")
    SQUARE(2);
    // ^ def enum_member Kind.SQUARE

    abstract fun next(): Kind
    //                   ^ -> 79 ?
}

sealed interface Event {
    data object Started : Event
    //          ^ def object Event.Started
    //                    ^ -> 93
    class Stopped(val why: String) : Event
}

fun interface Runner {
    fun run()
}

@Target(AnnotationTarget.CLASS)
annotation class Marker
//               ^ def annotation Marker

typealias Callback<A> = (A, Language) -> Unit
//        ^ def type Callback
//                       ^ -> 108
//                          ^ import java.util Locale

class Delegating(source: List<Int>) : List<Int> by source {
    //                                             ^ -> 113
    fun total() = sum()
    //  ^ def method Delegating.total
}

object Registry : Map<String, Int> by emptyMap() {
    internal val entry = 1
    //           ^ def property Registry.entry
}

val <E> List<E>.half: Int
    //          ^ def property half
    get() = size / 2

internal fun String.shout() = uppercase() + "!"

private fun helper(one: Int, two: Int = one) = one + two
//                                      ^ -> 130
