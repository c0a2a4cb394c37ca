<?php
namespace App;
use Lib\Foo;
class User {
    /** @var Foo[] all of them */
    private array $many = [];
    /** @var array<string, \Lib\Foo>|null */
    private $table;
    /** @var Foo */
    private \Lib\Bar $native;
    /**
     * @param Foo|string $one
     * @return array{first: Foo, rest: list<Foo>}
     */
    function run($one) {
        $one->go();
        //    ^ -> lib/Foo.php#Foo.go
        foreach ($this->many as $each) { $each->go(); }
        //                                      ^ -> lib/Foo.php#Foo.go
        $this->table['x']->go();
        //                 ^ -> lib/Foo.php#Foo.go
        $this->native->go();
        //             ^ -> lib/Foo.php#Bar.go
        /** @var Foo $found */
        $found = lookup();
        $found->go();
        //      ^ -> lib/Foo.php#Foo.go
        $this->run('')['first']->go();
        //                       ^ -> lib/Foo.php#Foo.go
        $this->run('')['rest'][0]->go();
        //                         ^ -> lib/Foo.php#Foo.go
        $this->fluent()->run('');
        //               ^ -> #User.run
    }
    /** @return $this */
    function fluent() { return chain(); }
    /** @return Unknown */
    function odd() { $this->odd()->go(); }
    //                             ^ -> nothing
}
