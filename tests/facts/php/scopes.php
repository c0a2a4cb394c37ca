<?php
$total = 1;
//^ -> 2

function variables(array $list, &$out)
{
    echo $total;
    //    ^ unknown
    $early = $late ?? 0;
    //        ^ -> 11
    $late = $early;
    //       ^ -> 9

    foreach ($list as $key => [$first, 'b' => $second]) {
        $inside = $key . $first . $second;
        //         ^ -> 14
        //                ^ -> 14
        //                         ^ -> 14
    }
    [$one, [, $two]] = $list;
    list($three) = [$one, $two, $inside];
    //               ^ -> 20
    //                     ^ -> 20
    //                           ^ -> 15

    $by = function ($item) use ($early, &$late) {
        //                       ^ -> 9
        //                                ^ -> 11
        $late = $early + $item + $list;
        //       ^ -> 9
        //                ^ -> 26
        //                        ^ unknown
        $own = 1;
        return fn ($x) => $x + $own + $early + $list;
        //                      ^ -> 33
        //                             ^ -> 9
        //                                      ^ unknown
    };
    $own;
    // ^ unknown
    $arrow = static fn (int $x): int => $x + $early + $y;
    //                                   ^ -> 41
    //                                        ^ -> 9
    //                                                 ^ unknown
    try {
        risky();
    } catch (\RuntimeException | LogicException $error) {
        throw $error;
        //     ^ -> 47
    } finally {
        unset($early);
        //     ^ -> 9
    }
    if (preg_match('/x/', $key, $match)) {
        return $match[0];
        //      ^ -> 54
    }
    static $calls = 0, $more;
    $calls++;
    // ^ -> 58
    $out = "$one {$two->name} ${three} $list[key] {$list['k']}";
    //       ^ -> 20
    //             ^ -> 20
    //                          ^ -> 21
    //                                       ^ label
    return <<<TEXT
      $calls and {$error->getMessage()}
TEXT;
}

function globals()
{
    global $total, $elsewhere;
    //      ^ -> 2
    $total += $elsewhere;
    // ^ -> 2
    //         ^ unknown
    $again = function () use ($total) { return $total; };
    //                                          ^ -> 2
}

class Total
{
    public $total = 0;

    public function total(self $total, Total $other): parent
    //              ^ def method Total.total
    //                                 ^ -> 82
    {
        $this->total($total->total, Total::$total, total: 1, other: $this);
        //     ^ member_call
        //            ^ -> 86
        //                   ^ member
        //                                  ^ member
        //                                         ^ label
        return total() ?: $this->{$total} ?: Total::class;
        //     ^ unknown
        //                         ^ -> 86
        goto end;
        end:
    }
}

$each = array_map(fn ($n) => $n * $total, [1]);
//                                 ^ -> 2
if ($each instanceof Total) { total(...); TOTAL; $missing; }
//                   ^ -> 82
//                            ^ call
//                                        ^ unknown
//                                                ^ unknown
