--TEST--
A class Title that is no class
--SKIPIF--
<?php if (!function_exists('never')) { print 'skip'; }
--FILE--
<?php
namespace Shop;

class Basket
//    ^ def class Basket
{
    public function total(): int
    //              ^ def method Basket.total
    {
        return sum(new Basket);
        //             ^ -> 9
    }
}

print generate(Basket::class);
--EXPECTF--
class MockBasket extends Basket
{
    public function total(): int
    {
        %A
    }
}
--CLEAN--
<?php
function sweep(): void {}
//       ^ def function sweep
