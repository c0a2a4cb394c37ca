// imports -> src/cart.ts, src/item.ts, src/kinds.ts, src/names.json
export * from './cart';
export { Item } from './item.js';
export type { Kind } from './kinds';
import names from './names.json';
