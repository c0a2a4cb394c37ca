package geo

open class Shape(val name: String, val next: Shape? = null) {
  open fun area(): Double = 1.0
  companion object {
    fun unit(): Shape = Shape("unit")
  }
}
class Square : Shape("square") {
  override fun area(): Double = 2.0
  fun show() = name
  //           ^ -> #Shape.name
}
object Origin { fun shape() = Square() }
enum class Color { RED, GREEN }
fun describe(shape: Shape): String = ""
fun describe(shape: Shape, more: Int): String = ""
val all = Shape.unit()
fun Shape.twice(): Shape = this
fun String.shape(): Shape = Shape(this)
