/**
 * A store of things.
 *
 * Not in the first paragraph.
 * @template T
 */
export class Store extends Base {
  //         ^ def class Store

  static count = 0;
  //     ^ def field Store.count

  #items = new Map();
  // ^ def field Store.#items

  handler = async (event) => {
    // ^ def method Store.handler
    return event.target + count;
    //     ^ -> 16
    //                    ^ unknown
  };

  constructor(items) {
    // ^ def constructor Store.constructor
    super();
    this.#items = items;
    //    ^ member
    //            ^ -> 23

    this.reset = function () {};
    //   ^ def method Store.constructor.reset
  }

  get size() {
    return size;
    //     ^ unknown
  }

  set size(value) {}

  // Adds one thing.
  static async *add(item, times = Store.count) {
    //          ^ def method Store.add
    //                            ^ -> 7
    //                                  ^ member
    #items in item;
    yield this.#check(item);
    //          ^ member_call
  }

  #check(item) {}

  'quoted name'() {}

  [Symbol.iterator]() {}

  static {
    var inside = 1;
    inside;
    // ^ -> 58
  }
}

@observer
class Widget extends (class Inner {}) {
//    ^ def class Widget

  @tracked size = 1;
  @bound
  render() {
    return Inner;
    //     ^ unknown
  }
}

const Anonymous = class Named {
  //  ^ def class Anonymous

  self() {
    return Named;
    //     ^ -> 76
  }
};

function Legacy(name) {
  this.name = name;
}
Legacy.prototype.greet = function (other) {
  //             ^ def method Legacy.greet
  return other;
  //     ^ -> 88
};
Legacy.prototype.limit = Legacy.prototype.max = 3;
//               ^ def property Legacy.limit
//                                        ^ def property Legacy.max

Legacy.create = (name) => new Legacy(name);
//     ^ def method Legacy.create
//                            ^ -> 85

Legacy.prototype.inner.deep = function deeper() {};
//                     ^ def method Legacy.prototype.inner.deep
//                                     ^ def function Legacy.prototype.inner.deep.deeper

const api = {
  list() {
  // ^ def method api.list
    return list;
    //     ^ unknown
  },
  find: function (id) {},
  // ^ def method api.find

  remove: (id) => id,
  size: 3,
  // ^ label
  Legacy,
  // ^ -> 85

  get total() {
    return this.size;
  },
};

class Pages {
  static async *[Symbol.asyncIterator]() {}
  //            ^ def method Pages.[Symbol.asyncIterator]
  //             ^ unknown

  [Legacy](page) {}
  // ^ -> 85
}

// Of several in one declaration, each has its own lines.
const start = function () {
    return 1;
  },
  /** Ends it. */
  finish = () => {
    // ^ def function finish
    return 2;
  };
