// imports -> src/kinds.ts, src/index.ts
import type { Kind } from '@app/kinds';
import * as all from '@app/index';
export class Item { kind: Kind; }
