package shop.cart

import scala.collection.mutable.{Map => MutableMap, Set, _}
//                                      ^ import scala.collection.mutable Map
//                                                  ^ import scala.collection.mutable Set
import java.util.UUID, java.time._
//               ^ import java.util UUID
import shop.prices.Price as P

/** What a [[shop.Customer customer]] wants to `buy`.
  *
  * Not thread-safe.
  * @param items what is in it
  */
@deprecated("use Basket", "1.0")
final case class Cart[T](
//               ^ def class Cart
    items: Seq[T],
//  ^ def field Cart.items
    private val total: Int = 0,
)(implicit ec: Context)
    extends Base(items)
    with Ordered[Cart[T]] {

  type Id = String
//     ^ def type Cart.Id
  val width, height = 1
//           ^ def field Cart.height
  private[shop] lazy val (left, Right(right)) = (1, 2)
  var state: State = State.Open
//                         ^ member

  def this() = this(Nil)

  /** Puts one more into the cart. */
  override protected def add(item: T)(amount: => Int): Cart[T] = {
//                       ^ def method Cart.add
    val before = items.size
//      ^ name
    def inner(n: Int) = n + before
//      ^ def function Cart.add.inner
    copy(items = items :+ item)
//       ^ label
    items.map(inner).foreach(println)
//        ^ member_call
  }

  def size: Int

  def +(other: Cart[T]): Cart[T] = this add other
//                                      ^ member_call

}

object Cart {
  val Empty = new Cart[Nothing](Nil)
//                ^ type

  @inline def apply[T](items: T*): Cart[T] = Cart(items, total = 1)
//            ^ def method Cart.apply
}

sealed trait Shape
class Rich(val text: String, plain: Int) extends AnyVal

enum Color(val rgb: Int):
  case Red extends Color(1)
//     ^ def enum_member Color.Red
  case Green, Blue
  case Mixed(of: Color)
  def hex = rgb.toHexString

package object util { def helper = 1 }

extension (text: String)
  def shout: String = text.toUpperCase
//    ^ def method String.shout

given byTotal: Ordering[Cart[Int]] with
  def compare(a: Cart[Int], b: Cart[Int]) = 0
//    ^ def method byTotal.compare

given Ordering[Shape] with
  def compare(a: Shape, b: Shape) = 0
//    ^ def method Ordering.compare

def top(x: Any) = x match {
  case Cart(items, _) => s"has ${items.size}"
  case n: Int if n > 1 => for (a <- list(n); b = a) yield b
//                                  ^ call
}

trait Wide {
  def first(a: Int): Int =
    a + 1

  /** Nothing of this belongs to the one before. */
  def second: Int =
    2 // two

  // a remark
  val third: Int =
    3
}
