const { Store } = require("./store");
//      ^ -> lib/store.js#Store
const store = require("./store");
store.close();
//    ^ -> lib/store.js#close
new Store("a").open();
//  ^ -> lib/store.js#Store
//             ^ -> lib/store.js#Store.open
new Store("a").name;
//             ^ -> lib/store.js#Store.name
new Store("a").nothing;
//             ^ -> nothing
