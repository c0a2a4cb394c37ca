(** The interface of carts. *)

val limit : int
(*  ^ def variable limit *)

(** Adds two amounts. *)
val add : int -> int -> int
(*  ^ def variable add *)

type color = Red | Green of int
(*   ^ def type color *)
(*           ^ def enum_member color.Red *)
(*                 ^ def enum_member color.Green *)

type item = { price : int; name : string }
(*   ^ def type item *)
(*            ^ def field item.price *)
(*                         ^ def field item.name *)

module Store : sig
  val total : int
(*    ^ def variable Store.total *)
end

exception Closed of string
(*        ^ def type Closed *)

external now : unit -> int = "shop_now"
(*       ^ def function now *)
