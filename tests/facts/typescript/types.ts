// Types, generics, overloads, namespaces: two namespaces side by side.

export interface Shape<T = string> extends Base<T>, Geo.Round {
//               ^ def interface Shape
//                                              ^ -> 3
//                                                      ^ member

  readonly area: T;
  //       ^ def property Shape.area

  scale(by: T, how?: typeof by): Shape<T>;
  // ^ def method Shape.scale
  //                        ^ -> 11
  //                             ^ -> 3
  new (size: number): this;
  (input: string): input is 'yes';
  //               ^ -> 16
  [key: string]: unknown;
  // ^ label
}

const Shape = { area: 1 };
//    ^ def constant Shape

type Pair<A, B extends A> = { first: A; second(): B };
//                     ^ -> 25
//                            ^ def property Pair.first
//                                      ^ def method Pair.second

type Result<F> = F extends (...args: infer P) => infer R ? [P, R] : R;
//                                                          ^ -> 30
//                                                             ^ -> 30
//                                                                  ^ unknown

type Mapped<T> = { [K in keyof T as Name<K>]?: T[K] } & { [K in 'a']: K };
//                                       ^ -> 35
//                                               ^ -> 35

export function pick(key: string): string;
//              ^ def function pick

export function pick<T>(key: T): T;
//                      ^ -> 42
//                               ^ -> 42

export function pick(key: unknown): unknown {
  const value: Shape = Shape;
  //           ^ -> 3
  //                   ^ -> 22
  return pick(value as string);
  //     ^ -> 39
}

export declare const external: Pair<string, 'a'>, other: number;
//                   ^ def constant external

declare function ambient(this: Shape, ...rest: number[]): void;
//               ^ def function ambient

declare let mutable: typeof external;
//                          ^ -> 54

export enum Color {
  //        ^ def enum Color

  Red = 1,
// ^ def enum_member Color.Red

  Dark = Red << 1,
  //     ^ -> 66

  'light-blue',
}
declare const enum Flags {
  None,
}
const red: Color = Color.Red;
//         ^ -> 63
//                 ^ -> 63
//                       ^ member

namespace Geo {
  //      ^ def module Geo

  export interface Round {}
  //               ^ def interface Geo.Round

  export const unit = red;
  //           ^ def constant Geo.unit
  //                  ^ -> 77 ?

  function helper(): Round {
    //               ^ -> 85
    return unit;
    //     ^ -> 88
  }
}
import Alias = Geo.Round;
//     ^ def module Alias

declare module 'untyped' {
  export default function load(): Alias;
  //                              ^ -> 98 ?
}
declare global {
  interface Window {
    custom: Flags;
    //      ^ -> 74
  }
}

function assertIt(value: unknown): asserts value is Color {
  //                                       ^ -> 112
  if (!isColor(value)) throw new TypeError(value satisfies never);
}
const isColor = <T,>(value: T | Color): value is T & Color => value in Color;
//    ^ def function isColor
//                                               ^ -> 116
//                                                                     ^ -> 63

type Tuple = [first: Color, second?: Missing, ...rest: Array<Pair<Color, Color>>];
//            ^ label
//                                   ^ unknown

let assigned!: Tuple[0];
export { assigned, Pair, type Result, isColor as guard };
//                 ^ -> 25
//                            ^ -> 30
export type { Tuple as Named };
//            ^ -> 121

export default interface Main {}

declare class Native {
  private constructor(name: string);
  //      ^ def constructor Native.constructor
  constructor(name: number, deep?: boolean);
  static [Symbol.asyncDispose](): Promise<void>;
  //     ^ def method Native.[Symbol.asyncDispose]
}

/** What every file sees. */
declare global {
  //    ^ def module global
  interface Document {
    //      ^ def interface global.Document
    native: Native;
    //      ^ -> 134
  }
  var registry: Document[];
  //  ^ def variable global.registry
  //            ^ -> 145
}
global.registry;
// ^ unknown

type Handler<
  In,
  Out extends In = In,
> = (value: In) => Out;

interface Rows {
  readonly [Symbol.toStringTag]: string;
  [Symbol.iterator](): Iterator<Native>;
  //     ^ def method Rows.[Symbol.iterator]
}
