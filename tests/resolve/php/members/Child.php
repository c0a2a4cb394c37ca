<?php
namespace App;
class Child extends Base {
    use Loud;
    function run() {
        $this->shout();
        //     ^ -> Base.php#Loud.shout
        parent::shout();
        //      ^ -> Base.php#Loud.shout
        echo self::LIMIT;
        //         ^ -> Base.php#Base.LIMIT
        echo $this->name;
        //          ^ -> Base.php#Base.name@11
        echo $this->name();
        //          ^ -> Base.php#Base.name@12
        static::make()->own();
        //      ^ -> Base.php#Base.make
        //              ^ -> #Child.own
        $this->missing();
        //     ^ -> nothing
        $x = new class { function f() { $this->own(); } };
        //                                     ^ -> nothing
        $f = fn() => $this->own();
        //                  ^ -> #Child.own
    }
    function own() {}
}
Child::make()->own();
//     ^ -> Base.php#Base.make
//             ^ -> #Child.own
Base::make()->own();
//            ^ -> nothing
