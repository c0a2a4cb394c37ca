const begin = require("..");
//    ^ -> lib/whole.js#start
begin();
// <- lib/whole.js#start
begin.option();
//    ^ -> lib/whole.js#start.option
require("../lib/store").close();
//                      ^ -> lib/store.js#close
