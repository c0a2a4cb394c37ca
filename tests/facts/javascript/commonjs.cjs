'use strict';

const fs = require('fs');
//    ^ import fs *
var path = require('path'), util = require('util').inspect;
//                          ^ import util inspect

const { join, resolve: absolute, extra = 1, deep: { er } } = require('./paths');
//      ^ import ./paths join
//                     ^ import ./paths resolve
//                               ^ def constant extra
//                                                  ^ def constant er
require('./setup');
const plugin = require(path.join('plugins', name));
//    ^ def constant plugin

const built = require('./build')(fs);
//    ^ def constant built
const { inspect } = require('util');

function load() {
  if (fs) {
    var optional = require('optional');
  }
  let inner = require('./inner');
  //  ^ import ./inner *
  return optional(inner, join, absolute, util);
  //     ^ -> 23
  //              ^ import ./inner *
  //                     ^ import ./paths join
}

exports.load = load;
//      ^ member
//             ^ -> 21

exports.parse = function parse(text) {
  //    ^ def method parse
  return parse;
  //     ^ -> 37
};
module.exports.format = (text) => parse(text);
//             ^ def method format
//                                ^ unknown
exports.LIMIT = 3;
module.exports = {
  load,
  // ^ -> 21
  renamed: load,
  // ^ label

  run() {},
  stop: function () {},
  limit: 3,
};
module.exports = function createServer(options) {
  //                      ^ def function createServer
  return createServer;
  //     ^ -> 56
};
module.exports = load;
