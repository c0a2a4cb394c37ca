"""PHP beyond the file."""

from __future__ import annotations

from support.claims import check_claims


def test_names_follow_namespaces_and_imports() -> None:
    check_claims(
        {
            "src/Shape.php": r"""
                <?php
                namespace App\Model;
                class Shape {} #= shape
                class Circle extends Shape {} #= circle
                function area() {} #= area
                const SIDES = 4; #= sides
            """,
            "src/helpers.php": r"""
                <?php
                function helper() {} #= helper
                define('VERSION', '1'); #= version
            """,
            "src/Same.php": r"""
                <?php
                namespace App\Model;
                new Shape(); #> Shape shape
                area(); #> area area
                helper(); #> helper helper
                echo SIDES; #> SIDES sides
                echo VERSION; #> VERSION version
                strlen('x'); #> strlen -
            """,
            "src/Other.php": r"""
                <?php
                namespace App;
                use App\Model\{Shape, Circle as Round}; #> Shape shape;Circle circle;Round circle
                use function App\Model\area; #> area area
                use App\Model as M;
                new Round(); #> Round circle
                area(); #> area area
                new M\Shape(); #> Shape shape
                new Model\Circle(); #> Circle circle
                new \App\Model\Shape(); #> Shape shape
                new namespace\Model\Shape(); #> Shape shape
                new Circle(); #> Circle -
                \App\Model\area(); #> area area
            """,
            "src/blocks.php": r"""
                <?php
                namespace One { class Thing {} } #= one
                namespace Two { new Thing(); } #> Thing -
                namespace Three { use One\Thing; new Thing(); } #> Thing one
            """,
        }
    )


def test_one_full_name_in_several_files_is_none_unless_one_lies_beside() -> None:
    check_claims(
        {
            "a/Foo.php": "<?php\nclass Foo {} #= a\n",
            "b/Foo.php": "<?php\nclass Foo {} #= b\n",
            "a/use.php": "<?php\nnew Foo(); #> Foo a\n",
            "c/use.php": "<?php\nnew Foo(); #> Foo -\n",
        }
    )


def test_members_of_the_object_of_its_class_and_of_its_bases() -> None:
    check_claims(
        {
            "Base.php": r"""
                <?php
                namespace App;
                interface Named { function name(): string; } #= named
                trait Loud {
                    public function shout() { return $this->volume(); } #= shout #> volume volume
                    private function volume() {} #= volume
                }
                abstract class Base implements Named {
                    const LIMIT = 1; #= limit
                    protected $name; #= property
                    public function name(): string { return $this->name; } #= method
                    public static function make(): static { return new static(); } #= make
                    public function shout() {} #= quiet
                }
            """,
            "Child.php": r"""
                <?php
                namespace App;
                class Child extends Base {
                    use Loud;
                    function run() {
                        $this->shout(); #> shout shout
                        parent::shout(); #> shout shout
                        echo self::LIMIT; #> LIMIT limit
                        echo $this->name; #> name property
                        echo $this->name(); #> name method
                        static::make()->own(); #> make make;own own
                        $this->missing(); #> missing -
                        $x = new class { function f() { $this->own(); } }; #> own -
                        $f = fn() => $this->own(); #> own own
                    }
                    function own() {} #= own
                }
                Child::make()->own(); #> make make;own own
                Base::make()->own(); #> own -
            """,
        }
    )


def test_types_that_are_declared() -> None:
    check_claims(
        {
            "Foo.php": r"""
                <?php
                class Foo {
                    public ?Foo $next; #= next
                    public function go(): self { return $this; } #= go
                    public function __invoke(): Foo { return $this; } #= invoke
                }
                enum Suit: string {
                    case Hearts = 'h'; #= hearts
                    public function label(): string { return ''; } #= label
                }
            """,
            "use.php": r"""
                <?php
                class User {
                    private Foo $typed;
                    private $made;
                    private $given;
                    public function __construct(private Foo $promoted, Foo|Suit|null $given) { #= promoted
                        $this->made = new Foo();
                        $this->given = $given;
                    }
                    public function run(Foo ...$rest): ?Foo { #= run
                        $this->typed->go()->go()->next->go(); #> go go;next next
                        $this->promoted->go(); #> promoted promoted;go go
                        $this->made->go(); #> go go
                        $this->given->label(); #> label label
                        foreach ($rest as $one) { $one->go(); } #> go go
                        [$a, $b] = [new Foo(), Suit::Hearts]; #> Hearts hearts
                        $a->go(); #> go go
                        $b->label(); #> label label
                        $a->label(); #> label -
                        $a()->go(); #> go go
                        Suit::from('h')->label(); #> label label
                        (clone $a)?->go(); #> go go
                        $c = $rest[0] ?? null;
                        $c->go(); #> go go
                        $table = ['x' => new Foo(), 'y' => Suit::Hearts];
                        $table['y']->label(); #> label label
                        $table['x']->label(); #> label -
                        try { } catch (Wrong $e) { $e->tell(); } #> tell tell
                        return null;
                    }
                    public function test($unknown, Foo $foo) {
                        $unknown->go(); #> go -
                        if ($unknown instanceof Suit) { $unknown->label(); } #> label label
                        if ($foo instanceof Special) { $foo->go(); $foo->special(); } #> go go;special special
                        $class = Foo::class;
                        (new $class())->go(); #> go go
                        $this->run()->go(); #> run run;go go
                    }
                }
                class Wrong extends \Exception { function tell() {} } #= tell
                class Special extends Foo {
                    public function go(): self { return $this; }
                    public function special() {} #= special
                }
            """,
        }
    )


def test_types_that_comments_declare_where_the_source_names_none() -> None:
    check_claims(
        {
            "lib/Foo.php": r"""
                <?php
                namespace Lib;
                class Foo {
                    function go() {} #= go
                }
                class Bar {
                    function go() {} #= bar
                }
            """,
            "use.php": r"""
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
                    function run($one) { #= run
                        $one->go(); #> go go
                        foreach ($this->many as $each) { $each->go(); } #> go go
                        $this->table['x']->go(); #> go go
                        $this->native->go(); #> go bar
                        /** @var Foo $found */
                        $found = lookup();
                        $found->go(); #> go go
                        $this->run('')['first']->go(); #> go go
                        $this->run('')['rest'][0]->go(); #> go go
                        $this->fluent()->run(''); #> run run
                    }
                    /** @return $this */
                    function fluent() { return chain(); }
                    /** @return Unknown */
                    function odd() { $this->odd()->go(); } #> go -
                }
            """,
        }
    )


def test_classes_without_a_name_have_members_of_their_own() -> None:
    check_claims(
        {
            "Base.php": r"""
                <?php
                class Base {
                    public function go() {} #= go
                    public function own() {} #= outer
                    public function make() {
                        $this->own(); #> own outer
                        $made = new class(1) extends Base {
                            public $part; #= part
                            public function own() { #= inner
                                $this->go(); #> go go
                                $this->own(); #> own inner
                                parent::own(); #> own outer
                                $this->part; #> part part
                            }
                        };
                        $made->own(); #> own inner
                        $made->go(); #> go go
                    }
                }
            """
        }
    )
