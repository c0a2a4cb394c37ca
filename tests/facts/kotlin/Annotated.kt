package shop.marks

import shop.Level

/** Two of them, one with arguments. */
@MustBeDocumented
@Retention(value = AnnotationRetention.BINARY)
@Wanted(
    level = Level.HIGH, // (
    message = "a) b" +
        " c", // the last comma
)
public annotation class First
//                      ^ def annotation First

@Retention(AnnotationRetention.BINARY)
@Target(AnnotationTarget.CLASS)

annotation class Second
//               ^ def annotation Second

@Target(AnnotationTarget.CLASS)
@Wanted(level = Level.LOW)
public annotation class Third
@Target(AnnotationTarget.CLASS)
@Delete
class Fourth
//    ^ def class Fourth
@Wanted()
@Delete()
class Fifth

@Wanted(Level.LOW)
// a word between
@Delete
actual abstract class Sixth actual constructor() {
    @Test
    @Wanted(Level.LOW)
    operator fun plus(other: Sixth) = this
//               ^ def method Sixth.plus

    fun run() {
        start(Level.LOW, limit) {
            if (!done()) {
                stop()
            }
        }
    }
}

@Inner
@shop.marks.Second
internal fun Sixth.complete() {
//                 ^ def function complete
    run()
}

public suspend fun Sixth.bytes(): ByteArray = body()

@OptIn(Inner::class)
@get:First
private val hook = init()
//          ^ def property hook

@First @Second("x") private val job by lazy { init() }
//                              ^ def property job

@Second
const val SIZE = 1
//        ^ def property SIZE

@Second
operator fun Sixth.times(): Sixth = this
//                 ^ def function times

@Suppress("a", "b")
@Second(Level.LOW)
private object Hidden {
//             ^ def object Hidden
    init {
        hooks.add(Fourth())
    }
}

@Second
@Wanted(Level.LOW)
sealed interface Shape {
//               ^ def interface Shape
    @Inner
    @Second
    class Square
//        ^ def class Shape.Square
}

@Wanted(Level.LOW)
@Second
class Kept(val level: Level)
//    ^ def class Kept

/** One argument is no statement of its own. */
@OptIn(Inner::class)
expect inline fun measure(level: Level): Int
//                ^ def function measure

@Wanted("\"(", 'x')
@Second
enum class Step { ONE, TWO }
//         ^ def enum Step
