//! Variables: where they begin, what they hide, what a pattern binds.

const MAX: u8 = 9;
struct Point { x: u8, y: u8 }
enum Kind { Some, Other(u8) }
fn source(x: u8) -> Option<u8> { Some(x) }
//        ^ -> 6
//                               ^ unknown

fn shadowing(x: u8) -> u8 {
    let y = x;
    //      ^ -> 10
    let x = x + 1;
    //      ^ -> 10
    let x = x * 2;
    //      ^ -> 13
    let f = |y: u8| x + y;
    //              ^ -> 15
    //                  ^ -> 17
    let (a, b) = (x, y);
    //               ^ -> 11
    let (b, a) = (a, b);
    //            ^ -> 20
    //               ^ -> 20
    {
        let x = x;
        //      ^ -> 15
        g(x);
        //^ -> 26
      //^ unknown
    }
    f(x) + a
  //^ -> 17
    //^ -> 15
    //     ^ -> 22
}

fn conditions(x: Option<u8>, z: u8) {
    if let Some(x) = x {
    //               ^ -> 38
        g(x);
        //^ -> 39
    } else if let None = x {
    //            ^ unknown
    //                   ^ -> 38
        g(x, None);
    } else {
        g(x);
        //^ -> 38
    }
    if let Some(y) = x && let Ok(x) = y.get() && x > 0 {
    //               ^ -> 38
    //                                ^ -> 51
    //                                           ^ -> 51
        g(x);
        //^ -> 51
    }
    while let Some(x) = x.next() {
    //                  ^ -> 38
        g(x);
        //^ -> 58
    }
    let Some(x) = x else { return g(x) };
    //            ^ -> 38
    //                              ^ -> 38
    g(x, z);
    //^ -> 63
    //   ^ -> 38
}

fn patterns(v: Kind, list: &[Point]) {
    match v {
        MAX => g(MAX),
      //^ -> 3
        Kind::Other(n @ 1..=MAX) if n > MAX => g(n),
      //^ -> 5
        //    ^ member
        //                  ^ -> 3
        //                          ^ -> 75
        Kind::A(q) | Kind::B { q, .. } => g(q),
        //                                  ^ -> 80
        (None, Some(None), [first, .., last @ Point { x: 0, .. }]) => g(first, last),
        //                                                              ^ -> 82
        //                                                                     ^ -> 82
        //                                            ^ label
        &(ref one, mut two) => g(one, two),
        //                       ^ -> 86
        //                            ^ -> 86
        other if let Some(deep) = other => g(deep),
        //                                   ^ -> 89
        v => g(v),
        //     ^ -> 91
        _ => g(v),
        //     ^ -> 71
    }
    let Point { x, y: (up, ref down) } = list;
    g(x, y, up, down);
    //^ -> 96
    //   ^ unknown
    //          ^ -> 96
    for (i, Point { x, .. }) in list.iter().map(|x| x) {
    //                          ^ -> 71
    //                                              ^ -> 101
        g(i, x);
        //^ -> 101
        //   ^ -> 101
    }
    for list in list {
    //          ^ -> 71
        g(list);
        //^ -> 108
    }
    let (a, Kind(b)) | (b, Kind(a)) = v;
    g(a, b);
    //   ^ -> 113
}

fn closures(sum: u8) -> impl Fn(u8) -> u8 {
    let add = move |(a, b): (u8, u8), Point { x, y: z }, &c| async move { sum + a + b + x + z + c };
    //                                                                    ^ -> 118
    //                                                                          ^ -> 119
    //                                                                                  ^ -> 119
    //                                           ^ label
    //                                                                                      ^ -> 119
    //                                                                                          ^ -> 119
    let fact = |n| if n < 2 { 1 } else { fact(n - 1) };
    //                                   ^ unknown
    'outer: loop {
        break 'outer fact(add);
        //           ^ -> 126
    }
}

fn namespaces(point: Point, Point: u8) -> Point {
//                                        ^ -> 4
    let vec = vec![point, Point];
    //        ^ unknown
    //             ^ -> 134
    vec
  //^ -> 136
}

fn generic<T, const N: usize>(items: [T; N]) -> Wrap<T, N> {
//                                    ^ -> 143
//                                       ^ -> 143
//                                              ^ unknown
    let size = items.len::<T>() + items.0;
    //                            ^ -> 143
    //               ^ member_call
    T::from(N)
  //^ -> 143
    // ^ member_call
    //      ^ -> 143
}
