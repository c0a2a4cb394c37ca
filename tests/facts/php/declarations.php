<?php

declare(strict_types=1);

namespace Shop\Model;

use Shop\Contract\Priced;
use function Shop\Text\slug;

define('SHOP_VERSION', '1.0');
//      ^ def constant SHOP_VERSION

const LIMIT = 10, MAXIMUM = 100;
//    ^ def constant LIMIT
//                ^ def constant MAXIMUM

/**
 * What is sold.
 *
 * More of it.
 *
 * @internal
 */
#[Entity(table: 'private'), Cached]
final class Item extends Base implements Priced, \JsonSerializable
//          ^ def class Item
//                       ^ unknown
//                                       ^ import Shop\Contract Priced
//                                                ^ member
{
    use Stamped, Logged {
        Stamped::touch insteadof Logged;
        //       ^ member

        Logged::touch as protected touchLogged;
        //                         ^ def method Item.touchLogged
    }

    /** How many there may be. */
    public const int MANY = LIMIT * 2;
    //               ^ def constant Item.MANY
    //                      ^ -> 13

    private const SECRET = 'x';

    protected static ?int $count = 0, $other;
    //                     ^ def property Item.count
    //                                 ^ def property Item.other

    var $old;
    public private(set) string $label = '' {
        //                      ^ def property Item.label
        get => $this->label . self::MANY;
        //            ^ member
        //                          ^ member
        set(string $given) { $this->label = slug($given); }
        //                                  ^ import Shop\Text slug
        //                                        ^ -> 56
    }

    /** {@inheritdoc} */
    public function __construct(
        private readonly int $id,
        protected ?Priced $price = null,
        int ...$rest
    ) {
        parent::__construct($id, $rest);
        //      ^ member_call
        //                   ^ -> 63
        //                        ^ -> 65
        $this->id = $id;
    }

    // Says it.
    abstract protected function text(self $of): static;

    #[Pure]
    public static function &make(int $id = LIMIT): ?self
    {
        return new self($id);
    }

    private function hidden(): void {}
}

/** Anything with a name. */
interface Named extends Priced
{
    public function name(): string;
    //              ^ def method Named.name
}

trait Stamped
//    ^ def trait Stamped
{
    abstract public function now(): int;
    public function touch(): void {}
}

enum Suit: string implements Named
{
    case Hearts = 'H';
    //   ^ def enum_member Suit.Hearts

    case Spades = 'S';
    const Wild = self::Spades;
    //                 ^ member

    public function name(): string
    {
        return match ($this) { Suit::Hearts => 'h', default => Wild };
        //                     ^ -> 100
        //                           ^ member
        //                                                     ^ unknown
    }
}

# Helps a lot.
function helper(int|string $value, Item ...$items): iterable
//       ^ def function helper
//                                 ^ -> 25
{
    function nested() {}
    nested();
//  ^ -> 123
    return HELPER($value, LIMIT, $items);
//         ^ unknown
//                        ^ -> 13
}

if (!function_exists('polyfill')) {
    function polyfill() {}
}
polyfill();
// ^ -> 132 ?

$shared = new class(1) extends Item {
//^ def variable shared
//                             ^ -> 25

    public function inner(): void {}
};
