<?php
class Foo {
    public ?Foo $next;
    public function go(): self { return $this; }
    public function __invoke(): Foo { return $this; }
}
enum Suit: string {
    case Hearts = 'h';
    public function label(): string { return ''; }
}
