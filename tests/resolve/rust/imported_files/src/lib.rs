// imports -> src/cart.rs, src/item/mod.rs
pub mod cart;
mod item;
pub use crate::item::Item;
