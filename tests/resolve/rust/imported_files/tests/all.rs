// imports -> src/lib.rs
use shop::Item;
