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
