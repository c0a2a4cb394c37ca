//! Macros: definitions, and the tokens that calls hand to them.

macro_rules! check {
//           ^ def macro check
    (key $name:ident: $($rest:expr),* $(,)?) => {{
   //^ label
        let value = probe($name);
        //          ^ -> 13 ?
        $( value.push($rest); )*
    }};
}

fn probe(value: &str, check: u8) -> u8 {
    check!(key value: 1, check);
  //^ -> 3
    //                   ^ -> 13 ?
    let format = format!("{} {value} {x}", value.len(), x = check);
    //           ^ unknown
    //                                     ^ -> 13
    //                                           ^ member_call
    //                                                  ^ label
    //                                                      ^ -> 13
    assert_eq!(probe(value, 1), Point { value: check }.value.check, "{:?}", Point::value);
    //         ^ -> 13
    //                                  ^ label
    //                                         ^ -> 13
    //                                                 ^ member
    //                                                       ^ member
    //                                                                      ^ -> 57
    //                                                                             ^ member
    println!("{}", [1].map(|value| value + check));
    //                             ^ -> 13 ?
    //                                     ^ -> 13 ?
    assert!(matches!(probe(value, 1), value if value > 1));
    //      ^ unknown
    //                     ^ -> 13 ?
    vec![vec![check; 2], check!(value)];
    //        ^ -> 13 ?
    //                   ^ -> 3 ?
    log::debug!("{}", value);
  //^ unknown
    //   ^ member_call
    //                ^ -> 13 ?
    select! { value = probe() => value, else => check }
    //        ^ label
    //                           ^ -> 13 ?
    //                                          ^ -> 13 ?
    format
  //^ -> 17
}

#[derive(Debug, serde::Serialize)]
//                     ^ member
#[serde(rename_all = "camelCase", bound(probe))]
//      ^ label
//                                      ^ -> 13 ?
struct Point {
    value: u8,
}

macro_rules! empty { () => {}; }
empty!();

thread_local! {
    static HIDDEN: u8 = 1;
}
