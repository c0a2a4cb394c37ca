function Store(name) {
  this.name = name;
}
Store.prototype.open = function () { return this.name; };
//                                               ^ -> #Store.name
module.exports = { Store, close() {} };
