// imports -> parts.kt, more.kt, all.kt
package app
import parts.Item
import more.twice as double
import all.*
fun f(i: Item) = double(One())
