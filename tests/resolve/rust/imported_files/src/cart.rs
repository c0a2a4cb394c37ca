// imports -> src/item/mod.rs, src/lib.rs, src/item/price.rs
use crate::item::{price, Item};
use crate::Item as Again;
pub fn total(item: &Item) -> u32 { price::of(item) }
