"""Kotlin beyond the file."""

from __future__ import annotations

from support.claims import check_claims

_SHAPES = {
    "src/main/kotlin/geo/Shape.kt": """package geo

open class Shape(val name: String, val next: Shape? = null) { //= Shape
  open fun area(): Double = 1.0 //= area
  companion object {
    fun unit(): Shape = Shape("unit") //= unit
  }
}
class Square : Shape("square") { //= Square
  override fun area(): Double = 2.0 //= squarearea
  fun show() = name //> name Shape
}
object Origin { fun shape() = Square() } //= Origin
enum class Color { RED, GREEN } //= Color
fun describe(shape: Shape): String = "" //= describe
fun describe(shape: Shape, more: Int): String = "" //= more
val all = Shape.unit() //= all
fun Shape.twice(): Shape = this //= twice
fun String.shape(): Shape = Shape(this) //= text
""",
}


def test_imports_and_packages() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/test/kotlin/app/Main.kt": """package app
import geo.Shape //> Shape Shape
import geo.Square as Quad
import geo.describe
import geo.Color.RED
import geo.all
import geo.twice
import geo.shape
class Main(private val held: Shape) { //> Shape Shape
  fun run(any: Any) {
    val made = Quad() //> Quad Square
    made.area() //> area squarearea
    held.next?.area() //> next Shape; area area
    Shape.unit().area() //> unit unit; area area
    describe(made) //> describe describe
    describe(made, 1) //> describe more
    all.area() //> all all; area area
    made.twice().area() //> twice twice; area area
    "x".shape() //> shape text
    any.twice() //> twice -
    (any as Quad).area() //> area squarearea
    println(RED) //> RED Color
  }
}
""",
            "src/main/kotlin/geo/Near.kt": """package geo
fun near(shapes: Shape = Origin.shape()) { //> Origin Origin
  shapes.twice() //> twice twice
  describe(shapes) //> describe describe
}
""",
            "src/main/kotlin/app/Blind.kt": """package app
import geo.Shape
fun blind(shape: Shape) { shape.twice() } //> twice -
""",
        }
    )


def test_inherited_members_and_extensions_see_their_object() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/main/kotlin/app/Own.kt": """package app
import geo.Shape
class Own : Shape("own") {
  fun run() = area() //> area area
  fun later() = object : Shape("inner") { fun more() = area() } //> area area
  fun built() = StringBuilder().apply { area() } //> area -
}
fun Shape.half() = area() //> area area
""",
        }
    )


def test_java_and_kotlin_see_each_other() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/main/java/app/Main.java": """package app;
import geo.Shape; //> Shape Shape
class Main { //= Main
  double run(Shape shape) { //= run
    return shape.area(); //> area area
  }
}
""",
            "src/main/kotlin/app/Use.kt": """package app
fun use(main: Main) = main.run(geo.all) //> Main Main; run run
""",
        }
    )
