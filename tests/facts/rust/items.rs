//! Definitions: kinds, nesting, visibility, documentation, attributes.

use std::fmt;

/// Upper bound of everything.
///
/// Not in the first paragraph.
pub const LIMIT: usize = 10;
//        ^ def constant LIMIT
pub(crate) static mut COUNTER: usize = LIMIT;
//                    ^ def variable COUNTER
//                                     ^ -> 8
const _: () = ();

pub type Table<K> = Vec<Entry<K>>;
//       ^ def type Table
//                            ^ -> 15
//                      ^ -> 26

/// A thing with a key.
#[derive(Debug, Clone)]
#[repr(
    C,
    align(8)
)]
pub struct Entry<K, const N: usize = 4> {
//         ^ def struct Entry
    /// What it is found by.
    #[allow(dead_code)] pub key: K,
    //                      ^ def field Entry.key
    //                           ^ -> 26
    pub(super) sizes: [u8; N],
    //         ^ def field Entry.sizes
    //                     ^ -> 26
    hidden: Box<Entry<K, N>>,
}

pub struct Pair<'a>(pub &'a str, u8);
//         ^ def struct Pair
struct Unit;

union Bits {
    int: u32,
  //^ def field Bits.int
    float: f32,
}

#[non_exhaustive]
/** How it went,
 * and why.
 */
pub enum Outcome<E> {
//       ^ def enum Outcome
    Done,
  //^ def enum_member Outcome.Done
    Failed(E),
    //     ^ -> 52
    Unit(Unit),
  //^ def enum_member Outcome.Unit
    //   ^ -> 40
    Partly { done: usize, left: usize },
  //^ def enum_member Outcome.Partly
    //                    ^ def field Outcome.Partly.left
    Coded = LIMIT as isize,
    //      ^ -> 8
}

pub trait Shape: fmt::Debug {
//        ^ def trait Shape
//               ^ import std fmt
//                    ^ member
    const SIDES: usize;
    //    ^ def constant Shape.SIDES
    type Unit: Default;
    //   ^ def type Shape.Unit
    type View<T>
    where
        Self: Sized;
    fn area(&self) -> Self::Unit;
    // ^ def method Shape.area
    //                      ^ member
    /// The same for all.
    fn describe(&self) -> String {
    // ^ def method Shape.describe
        area(LIMIT)
      //^ -> 90
    }
}

fn area(sides: usize) -> String {
// ^ def function area
    sides.to_string()
  //^ -> 90
    //    ^ member_call
}

type Error = fmt::Error;

impl<'a, K: Clone, const N: usize> Shape for Entry<K, N>
//                                 ^ -> 68
//                                           ^ -> 26
where
    K: fmt::Debug,
  //^ -> 99
{
    const SIDES: usize = N;
    //    ^ def constant Entry.SIDES
    //                   ^ -> 99
    type Unit = Unit;
    //   ^ def type Entry.Unit
    //          ^ -> 40
    type View<T> = Vec<T>;
    //                 ^ -> 112
    fn area(&self) -> Unit {
    // ^ def method Entry.area
    //                ^ -> 40
        Unit
    }
}

impl<K> Entry<K> {
    #[inline]
    pub async unsafe fn new<T: Into<U>, U>(key: K, other: T) -> Result<Self, Error>
    //                  ^ def method Entry.new
    //                              ^ -> 123
    //                                                                       ^ -> 97
    where
        U: Iterator<Item = K>,
        //          ^ label
    {
        let hidden = None;
        Entry { key, sizes: [0; 4], hidden }
      //^ -> 26
        //      ^ -> 123
        //           ^ label
        //                          ^ -> 131
    }

    pub extern "C" fn raw(callback: extern "C" fn(code: u8) -> u8) {}
    //                ^ def method Entry.raw
}

impl fmt::Display for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // ^ def method Pair.fmt
    //                    ^ import std fmt
        Ok(())
    }
}

impl<'a> From<&'a str> for Box<dyn Shape<Unit = u8>> {
//                                 ^ -> 68
    fn from(text: &'a str) -> Self {
    // ^ def method Box.from
        todo!()
    }
}

unsafe impl Send for &mut Bits {}

impl Default for (Unit, Unit) {
    fn default() -> Self {
        (Unit, Unit)
    }
}

extern "C" {
    pub fn strlen(text: *const u8) -> usize;
    //     ^ def function strlen
    static environ: *const u8;
    //     ^ def variable environ
}

#[macro_export]
macro_rules! square {
//           ^ def macro square
    ($x:expr) => {
        $x * $x
    };
}

mod outer {
    //! Inside out.
    pub mod inner {
        pub fn deep() {}
        //     ^ def function outer.inner.deep
    }
    pub(self) struct Own;
}

mod elsewhere;
//  ^ def module elsewhere

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(
        expected = "no"
    )]
    // an ordinary comment
    fn panics() {}
    // ^ def function tests.panics
}
