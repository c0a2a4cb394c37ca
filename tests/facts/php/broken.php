<?php
class Half {
    public function whole($given) { return $given; }
    //                                      ^ -> 3

    public function cut($b { return $b;
    private function rest(
}
function after($x) { return $x
