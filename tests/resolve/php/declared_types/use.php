<?php
class User {
    private Foo $typed;
    private $made;
    private $given;
    public function __construct(private Foo $promoted, Foo|Suit|null $given) {
        $this->made = new Foo();
        $this->given = $given;
    }
    public function run(Foo ...$rest): ?Foo {
        $this->typed->go()->go()->next->go();
        //            ^ -> Foo.php#Foo.go
        //                        ^ -> Foo.php#Foo.next
        $this->promoted->go();
        //     ^ -> #User.promoted
        //               ^ -> Foo.php#Foo.go
        $this->made->go();
        //           ^ -> Foo.php#Foo.go
        $this->given->label();
        //            ^ -> Foo.php#Suit.label
        foreach ($rest as $one) { $one->go(); }
        //                              ^ -> Foo.php#Foo.go
        [$a, $b] = [new Foo(), Suit::Hearts];
        //                           ^ -> Foo.php#Suit.Hearts
        $a->go();
        //  ^ -> Foo.php#Foo.go
        $b->label();
        //  ^ -> Foo.php#Suit.label
        $a->label();
        //  ^ -> nothing
        $a()->go();
        //    ^ -> Foo.php#Foo.go
        Suit::from('h')->label();
        //               ^ -> Foo.php#Suit.label
        (clone $a)?->go();
        //           ^ -> Foo.php#Foo.go
        $c = $rest[0] ?? null;
        $c->go();
        //  ^ -> Foo.php#Foo.go
        $table = ['x' => new Foo(), 'y' => Suit::Hearts];
        $table['y']->label();
        //           ^ -> Foo.php#Suit.label
        $table['x']->label();
        //           ^ -> nothing
        try { } catch (Wrong $e) { $e->tell(); }
        //                             ^ -> #Wrong.tell
        return null;
    }
    public function test($unknown, Foo $foo) {
        $unknown->go();
        //        ^ -> nothing
        if ($unknown instanceof Suit) { $unknown->label(); }
        //                                        ^ -> Foo.php#Suit.label
        if ($foo instanceof Special) { $foo->go(); $foo->special(); }
        //                                   ^ -> Foo.php#Foo.go
        //                                               ^ -> #Special.special
        $class = Foo::class;
        (new $class())->go();
        //              ^ -> Foo.php#Foo.go
        $this->run()->go();
        //     ^ -> #User.run
        //            ^ -> Foo.php#Foo.go
    }
}
class Wrong extends \Exception { function tell() {} }
class Special extends Foo {
    public function go(): self { return $this; }
    public function special() {}
}
