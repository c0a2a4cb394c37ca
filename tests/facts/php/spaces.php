<?php
namespace One {
    class Thing {}
    function act() { return new Thing; }
    //                          ^ -> 3
}

namespace Two {
    use One\Thing;

    act();
//  ^ unknown
    new Thing;
    //  ^ import One Thing
}

namespace {
    new Thing;
    //  ^ unknown
}

/*
 * This file is part of the shop.
 *
 * (c) Those who wrote it
 */
namespace Headed {
    /** Part of the shop: it pays. */
    function pay() {}
    //       ^ def function Headed.pay
}
