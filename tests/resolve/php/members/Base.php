<?php
namespace App;
interface Named { function name(): string; }
trait Loud {
    public function shout() { return $this->volume(); }
    //                                      ^ -> #Loud.volume
    private function volume() {}
}
abstract class Base implements Named {
    const LIMIT = 1;
    protected $name;
    public function name(): string { return $this->name; }
    public static function make(): static { return new static(); }
    public function shout() {}
}
