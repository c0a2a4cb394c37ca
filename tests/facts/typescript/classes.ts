import { Component, type Input, Output } from '@framework/core';
//                       ^ import @framework/core Input
import type { Injectable as Service } from '@framework/core';
//                          ^ import @framework/core Injectable
import type Everything from './everything';
import legacy = require('./legacy');
//     ^ import ./legacy *
import * as ns from './ns';

/** A component. */
@Component({ selector: 'app-root', inputs: ['name'] })
export abstract class Root<T extends Service> extends ns.Base<T> implements Everything, ns.Deep.Type<T> {
//                    ^ def class Root
//                                   ^ import @framework/core Injectable
//                                                                          ^ import ./everything default
//                                                                                      ^ import ./ns *
//                                                                                           ^ member

  @Output() output = 1;
  //        ^ def field Root.output
  // ^ import @framework/core Output

  private static readonly cache: Map<T, Input> = new Map();
  //                      ^ def field Root.cache
  //                                     ^ import @framework/core Input

  protected handle = (event: T): void => this.output(event);
  //        ^ def method Root.handle

  #secret?: string;
  declare typed: typeof output;
  //                    ^ unknown

  constructor(private service: T, public readonly name = service, plain?: string) {
  // ^ def constructor Root.constructor
  //                  ^ def property Root.service
  //                                                     ^ -> 34
  //                                              ^ def property Root.name
    super(service, plain);
    //    ^ -> 34
  }

  abstract render(): T;
  //       ^ def method Root.render

  abstract title: string;

  update(value: string): void;
  update(value: number): void;
  @log
  @Output('x')
  protected async update(@Input() value: any): Promise<void> {
    //            ^ def method Root.update
    await value.save<T>(this);
    //    ^ -> 52
    //          ^ member_call
  }

  get size(): number {
    return legacy(output);
    //     ^ import ./legacy *
    //            ^ unknown
  }
}

export const Mixin = <C extends new (...args: any[]) => object>(Base: C) =>
  class Mixed extends Base {
  //    ^ def class Mixin.Mixed
  //                  ^ -> 66

    clone(): Mixed {
      //     ^ -> 67
      return new Mixed();
      //         ^ -> 67
    }
  };

const loader = async () => {
  const { parse, stringify: print } = await import('./format');
  //                        ^ import ./format stringify
  const first = (await import('./first')).run;
  //    ^ import ./first run
  return parse(print, first);
  //     ^ import ./format parse
};
export = legacy;
