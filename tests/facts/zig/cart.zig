//! Carts of a small shop.
const std = @import("std");
//    ^ import std std

const Price = @import("price.zig").Price;
//    ^ import price.zig Price
const Allocator = std.mem.Allocator;
//    ^ def constant Allocator
//                    ^ member
usingnamespace @import("compat.zig");

/// How many fit.
pub const limit: usize = 10;

threadlocal var open_carts: u32 = 0;
//              ^ def variable open_carts

/// What a customer wants to buy.
///
/// Not thread-safe.
pub const Cart = struct {
//        ^ def struct Cart
    items: []const Item,
//  ^ def field Cart.items
    /// In cents.
    total: u32 = 0,

    const growth = 2;
    pub var made: usize = 0;

    pub const Item = struct { name: []const u8, price: Price };
//                                                     ^ type

    /// Puts one more into the cart.
    pub fn add(
//         ^ def method Cart.add
        self: *Cart, // the cart
        comptime T: type,
        item: T,
    ) !void {
        const step = growth;
//            ^ name
        self.total += step;
//           ^ member
        if (find(item)) |found| {
//          ^ call
            self.grow(found);
//               ^ member_call
        } else |err| return err;
        outer: for (self.items, 0..) |it, _| {
            if (it.gone) break :outer;
//                              ^ label
        }
    }

    fn grow(self: *Cart, by: anytype) void {
//     ^ def method Cart.grow
        _ = by;
        const origin = Point{ .x = 1, .y = 2 };
//                     ^ type
//                             ^ label
        _ = origin;
        _ = self;
    }
};

pub const Kind = enum(u8) {
    big,
//  ^ def enum_member Kind.big
    small = 2,
    _,

    pub fn label(kind: Kind) []const u8 {
        return if (kind == .big) "big" else "small";
//                          ^ member
    }
};

const Amount = union(enum) { int: i32, none };
const CartError = error{ NotFound, Full };
//                       ^ def enum_member CartError.NotFound
pub const Handle = opaque {};

pub extern "c" fn write(fd: c_int) isize;
export fn shop_open() void {}

/// A list of anything.
pub fn List(comptime T: type) type {
    return struct {
        head: ?T,

        pub fn first(self: @This()) ?T {
//             ^ def method List.first
            return self.head;
        }
    };
}

fn fails() CartError!void {
    return error.Full;
//               ^ member
}

test "adds" {
    const local = 1;
    try std.testing.expect(local == 1);
//                  ^ member_call
}
