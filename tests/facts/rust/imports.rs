//! `use` trees of every shape.

extern crate alloc;
extern crate core as heart;
//                   ^ import  core

use std::collections::HashMap;
//                    ^ import std::collections HashMap
use std::io::{self, Read as Reader, Write};
//       ^ import std io
//                          ^ import std::io Read
//                                  ^ import std::io Write
use std::{
    fmt::{self as format, Display, write},
    //            ^ import std fmt
    //                             ^ import std::fmt write
    path::*,
    sync::{
        atomic::{AtomicBool, Ordering::{Relaxed, SeqCst as Strict}},
        //                              ^ import std::sync::atomic::Ordering Relaxed
        //                                                 ^ import std::sync::atomic::Ordering SeqCst
        Arc,
    },
};
use ::serde::Serialize;
use {crate::config, super::parent, self::child::Leaf};
//          ^ import crate config
//                         ^ import super parent
//                                              ^ import self::child Leaf
use std::fmt::Debug as _;
use super::super::grand::*;
use anyhow::anyhow;

pub use self::child::{Leaf as Blade, Stem, root::*};
//                            ^ import self::child Leaf
pub use tokio;
pub(crate) use crate::inner::thing;
pub(in crate::config) use crate::inner::other;

mod child {
    pub use super::Reader;
    //             ^ import super Reader
}

fn run(map: HashMap<String, Arc<AtomicBool>>) -> io::Result<()> {
//          ^ import std::collections HashMap
//                          ^ import std::sync Arc
//                                               ^ import std io
//                                                   ^ member
    use std::mem::{swap, take as grab};
    //                           ^ import std::mem take
    grab(&mut map);
  //^ import std::mem take
    {
        use crate::other::grab;
        grab(map);
      //^ import crate::other grab
    }
    heart::mem::drop(map.load(Relaxed));
  //^ import  core
    //     ^ member
    //          ^ member_call
    //                        ^ import std::sync::atomic::Ordering Relaxed
    alloc::vec::Vec::<Stem>::new();
  //^ import  alloc
    //                ^ import self::child Stem
    include!("generated.rs");
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
    write!(map, "{}", write(anyhow::Error, anyhow!("no")));
  //^ member_call
    //                ^ import std::fmt write
    anyhow::bail(swap);
  //^ import anyhow anyhow
    swap(1, 2)
  //^ import std::mem swap
}

fn shadowed(config: u8) -> u8 {
    config
  //^ -> 78
}
