// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "./item.sol";

/// What every shop can do.
interface IShop {
//        ^ def interface IShop
    function buy(uint amount) external returns (bool);
//           ^ def method IShop.buy
}

library Prices {
//      ^ def class Prices
    function twice(uint price) internal pure returns (uint) {
//           ^ def method Prices.twice
        return price * 2;
    }
}

contract Shop is IShop {
//       ^ def class Shop
    uint public total = 1;
//              ^ def field Shop.total
    mapping(address => uint) balances;
//                           ^ def field Shop.balances
    struct Item { uint price; string name; }
//         ^ def struct Shop.Item
//                     ^ def field Shop.Item.price
    enum Kind { Food, Drink }
//       ^ def enum Shop.Kind
    event Bought(address who, uint amount);
//        ^ def type Shop.Bought

    modifier onlyOpen() { _; }
//           ^ def method Shop.onlyOpen

    constructor(uint start) { total = start; }

    /// Buys some items.
    function buy(uint amount) external override returns (bool) {
//           ^ def method Shop.buy
        total += Prices.twice(amount);
        return true;
    }
}

function free(uint amount) pure returns (uint) { return amount; }
//       ^ def function free
uint constant LIMIT = 3;
//            ^ def constant LIMIT
