// imports -> src/item/price.rs
pub mod price;
pub struct Item;
