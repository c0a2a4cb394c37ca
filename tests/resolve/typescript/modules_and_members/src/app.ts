import make, { Kind, registry as known } from "./shapes/shape";
//     ^ -> src/shapes/shape.ts#make
//             ^ -> src/shapes/shape.ts#Kind
import { Square } from "./shapes/shape";
//       ^ -> src/shapes/shape.ts#Square
import * as shapes from "./shapes";
//                                      ^ -> nothing
import type { Named } from "./shapes/index.js";
//            ^ -> src/shapes/shape.ts#Named
import { Box, all } from "./shapes";
//       ^ -> src/shapes/shape.ts#Square
export function run(named: Named, list: Square[], later: Promise<Square>) {
//                         ^ -> src/shapes/shape.ts#Named
//                                      ^ -> src/shapes/shape.ts#Square
  named.label;
  //    ^ -> src/shapes/shape.ts#Named.label
  make().area();
//^ -> src/shapes/shape.ts#make
  //     ^ -> src/shapes/shape.ts#Square.area
  shapes.Square.count;
  //     ^ -> src/shapes/shape.ts#Square
  //            ^ -> src/shapes/shape.ts#Shape.count
  new Box("b").scaled(2).size.width;
  //  ^ -> src/shapes/shape.ts#Square
  //           ^ -> src/shapes/shape.ts#Shape.scaled
  //                     ^ -> src/shapes/shape.ts#Shape.size
  //                          ^ -> src/shapes/shape.ts#Size.width
  new all.Square("c").label;
  //      ^ -> src/shapes/shape.ts#Square
  //                  ^ -> src/shapes/shape.ts#Shape.label
  for (const each of list) each.area();
  //                            ^ -> src/shapes/shape.ts#Square.area
  list.map((one) => one.area());
  //                    ^ -> src/shapes/shape.ts#Square.area
  later.then((one) => one.area());
  //                      ^ -> src/shapes/shape.ts#Square.area
  const { size, ...rest } = make();
  //      ^ -> src/shapes/shape.ts#Shape.size
  size.width;
  //   ^ -> src/shapes/shape.ts#Size.width
  known.add(make());
  //    ^ -> src/shapes/shape.ts#registry.add
  known.held.width;
  //         ^ -> src/shapes/shape.ts#Size.width
  Kind.Round;
  //   ^ -> src/shapes/shape.ts#Kind.Round
  (named as unknown as { label(): void }).label();
  //                     ^ -> nothing
}
async function wait(later: Promise<Square>) {
  (await later).area();
  //            ^ -> src/shapes/shape.ts#Square.area
}
