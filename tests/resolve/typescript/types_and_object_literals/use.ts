import { Options, Both, Holder, Inner, configure, wrap } from "./types";
const plain: Options = { depth: 1, inner: { leaf: "x" } };
//                       ^ -> types.ts#Options.depth
//                                 ^ -> types.ts#Options.inner
//                                          ^ -> types.ts#Inner.leaf
configure({ inner: { leaf: "y" } });
// <- types.ts#configure
//          ^ -> types.ts#Options.inner
//                   ^ -> types.ts#Inner.leaf
function read({ inner, depth: deep }: Options) {
//              ^ -> types.ts#Options.inner
//                     ^ -> types.ts#Options.depth
  return inner.leaf;
  //           ^ -> types.ts#Inner.leaf
}
declare const both: Both, holder: Holder<Inner>;
both.extra.leaf;
//         ^ -> types.ts#Inner.leaf
both.inner.leaf;
//   ^ -> types.ts#Options.inner
//         ^ -> types.ts#Inner.leaf
holder.held.leaf;
//     ^ -> types.ts#Holder.held
//          ^ -> types.ts#Inner.leaf
holder.each((value) => value.leaf);
//     ^ -> types.ts#Holder.each
//                           ^ -> types.ts#Inner.leaf
wrap(plain).held.inner;
// <- types.ts#wrap
//          ^ -> types.ts#Holder.held
//               ^ -> types.ts#Options.inner
type Leaf = Inner["leaf"];
//                 ^ -> types.ts#Inner.leaf
const unknown: any = plain;
unknown.inner;
//      ^ -> nothing
