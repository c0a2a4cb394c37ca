// Hoisting, blocks, parameters, destructuring and labels.

const limit = 10;
//    ^ def constant limit

let total = 0, ready;
//  ^ def variable total

function outer(first, { second, third: renamed = limit, ...others }, [fourth, [fifth]] = [], ...rest) {
//       ^ def function outer
//                      ^ -> 9
//                              ^ label
//                                               ^ -> 3
  if (first) {
    var hoisted = second;
    let total = renamed;
    const inBlock = total;
    //              ^ -> 16

    function local() {
    //       ^ def function outer.local
      return inBlock;
      //     ^ -> 17
    }
    local();
    // ^ call
  }
  return [hoisted, total, inBlock, later(), others, fifth, rest, third];
  //      ^ -> 15
  //               ^ -> 6
  //                      ^ unknown
  //                               ^ -> 73
  //                                        ^ -> 9
  //                                                ^ -> 9
  //                                                             ^ unknown
}

function defaults(value = name, other = value) {
  //                      ^ unknown
  //                                    ^ -> 38
  const name = other;
  return name;
  //     ^ -> 41
}

for (const item of rest) {
  const item = total;
  console.log(item);
  //          ^ -> 47
  //      ^ member_call
}
for (var index = 0, count = limit; index < count; index++);
index;
// ^ -> 52

try {
  outer();
} catch ({ message, cause: { code } }) {
  throw new Error(message, { code });
  //              ^ -> 58
  //                         ^ -> 58
}

scan: while (ready) {
// ^ label
  break scan;
  //    ^ label
}

({ total, ready: index } = outer());
// ^ -> 6

function later() {
  const run = function again(depth) {
    //  ^ def function later.run
    return depth ? again(depth - 1) : run;
    //             ^ -> 74
    //                                ^ -> 74
  };
  again();
  // ^ unknown
  {
    var run2 = () => limit;
    //  ^ def function later.run2
  }
  return run2;
  //     ^ -> 83
}

switch (total) {
  case 1: {
    const only = 1;
    only;
    // ^ -> 92
  }
  default:
    let shared = 2;
    shared;
    // ^ -> 97
}

with (total) {
  limit;
  // ^ -> 3 ?
}

var twice = function () {};
function twice() {}
twice();
// ^ -> 107 ?

list.map(x => x + y);
//            ^ -> 112
//                ^ unknown

register(function named(a) { return named; });
//                ^ def function named
//                                  ^ -> 116
eval('1 + 1');
new Function('a', body);
table[key] = table['fixed'] + table[0];
Reflect.get(table, key);
