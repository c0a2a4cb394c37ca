//! Modules, items in functions, and what each of them sees.

use std::io::Result;

pub fn shared() {}
struct Thing;
mod plain {
    fn local() -> Result<Thing> { // prelude
    //            ^ unknown
    //                   ^ unknown
        shared();
      //^ unknown
        super::shared();
        //     ^ member_call
        local();
      //^ -> 8
    }
}

mod picky {
    use super::{shared, Thing as Other};
    fn local(thing: Other) -> Thing {
    //              ^ import super Thing
    //                        ^ unknown
        shared()
      //^ import super shared
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{replace, take};

    use super::*;

    fn local() -> Result<Thing> {
    //            ^ import std::io Result
    //                   ^ -> 6
        shared();
      //^ -> 5
        take(replace)
      //^ import std::mem take
    }

    mod deeper {
        fn local() {
            shared();
          //^ unknown
        }
    }
}

mod late {
    fn first() {
        shared();
      //^ unknown
        use super::*;
    }
}

fn items(name: u8) {
    helper(LOCAL);
  //^ -> 79
    //     ^ -> 65
    const LOCAL: u8 = 1;
    //    ^ def constant items.LOCAL
    struct Inner {
    //     ^ def struct items.Inner
        name: u8,
      //^ def field items.Inner.name
    }
    impl Inner {
        fn method(&self) -> Inner {
        // ^ def method items.Inner.method
            method(self.name)
          //^ unknown
        }
    }
    fn helper(x: Inner) {
    // ^ def function items.helper
    //           ^ -> 67 ?
        name(x);
      //^ -> 61 ?
        //   ^ -> 79
    }
    let helper = helper;
    //           ^ -> 79
    helper(LOCAL);
  //^ -> 86
    //     ^ -> 65
}

fn globs(thing: Thing) {
    use crate::kinds::{self, Kind::*};
    shared(thing);
  //^ -> 5 ?
    //     ^ -> 93 ?
    kinds::run(Thing);
  //^ import crate kinds
    //         ^ -> 6 ?
}

#[cfg(unix)]
fn platform() {} // unix
#[cfg(windows)]
fn platform() {}

#[cfg(unix)]
const SEPARATOR: u8 = 1; // unix constant
#[cfg(windows)]
const SEPARATOR: u8 = 2;
//    ^ def constant SEPARATOR

fn twice() {
    SEPARATOR;
  //^ -> 109 ?
    platform();
  //^ -> 104 ?
}
