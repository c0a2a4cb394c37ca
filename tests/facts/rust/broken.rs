//! Half-written code still has facts.

fn whole(a: u8) -> u8 {
    a +
  //^ -> 3
}

fn either(a|: u8) {}
 // ^ def function either

struct Open {
//     ^ def struct Open
    field: u8,
  //^ def field Open.field

fn after(b: u8) {
    let = b;
    match b { Some( => }
}
use std::{io, ;
impl for Open { fn
