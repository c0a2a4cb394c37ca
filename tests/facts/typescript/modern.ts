// Syntax that the grammar cannot read by itself.
export type * from './types';
export type * as shapes from './shapes';

interface Store<in K, out V extends K = K> {
  (key: K): V
  // a comment between two signatures
  <T extends K>(key: T): T
  //                     ^ -> 8

  value: V
  // ^ def property Store.value
}

class Cell {
  static accessor count = 0;
  //              ^ def field Cell.count

  accessor #name = '';
  after(): Store<string> {
  // ^ def method Cell.after
    //     ^ -> 5
    return null!;
  }
}
