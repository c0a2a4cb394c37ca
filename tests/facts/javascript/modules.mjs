// ECMAScript modules.
import fs, { readFile as read, writeFile } from 'node:fs';
//     ^ import node:fs default
//                       ^ import node:fs readFile
//           ^ unknown
import * as path from './path.js';
//          ^ import ./path.js *
import './side-effect.js';
import data from './data.json' with { type: 'json' };

export const first = 1, { second, third: [fourth] } = data;
//           ^ def constant first
//                                                    ^ import ./data.json default
//                        ^ def constant second
//                                        ^ def constant fourth

export let counter = read(path.join(first, fourth));
//                   ^ import node:fs readFile
//                        ^ import ./path.js *
//                             ^ member_call
//                                  ^ -> 11

export var old = fs;

/** Does it. */
export async function act(input) {
  //                  ^ def function act
  return writeFile(input);
  //     ^ import node:fs writeFile
}
export class Thing {}
function hidden() {}

export { hidden as shown, fs as 'string name', counter };
//       ^ -> 32
//                 ^ label
export { hidden as default };
export * from './all.js';
export * as everything from './everything.js';
//          ^ label
export { one, two as three, default } from './some.js';
//       ^ member
//                   ^ label

const lazy = await import('./lazy.js');
//    ^ import ./lazy.js *
const { part } = await import('./parts.js');
//      ^ import ./parts.js part

const promise = import('./promise.js');
//    ^ def constant promise

const computed = import(`./${first}.js`);
