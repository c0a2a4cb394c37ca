(** Carts of a small shop. *)
open Item

let limit = 3
(*  ^ def variable limit *)

(** Adds two amounts. *)
let add a b = a + b
(*  ^ def function add *)

let rec count n = if n = 0 then 0 else 1 + count (n - 1)
(*      ^ def function count *)

type color = Red | Green of int
(*   ^ def type color *)
(*           ^ def enum_member color.Red *)

type item = { price : int; name : string }
(*            ^ def field item.price *)

module Store = struct
(*     ^ def module Store *)
  let total = 1
  let put x = x + total
(*    ^ def function Store.put *)
end

module type Priced = sig
(*          ^ def interface Priced *)
  val price : int -> int
end

class cart = object
(*    ^ def class cart *)
  method size n = n
(*       ^ def method cart.size *)
end

exception Closed of string

external now : unit -> int = "shop_now"
(*       ^ def function now *)
