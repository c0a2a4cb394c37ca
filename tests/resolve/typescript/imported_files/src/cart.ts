// imports -> src/index.ts, src/late.ts, src/setup.ts
import { Item } from '.';
import './setup';
export class Cart { items: Item[] = []; later() { return import('./late'); } }
