import { Cart } from "@shop/core";
import { round } from "@shop/core/money";
//       ^ -> packages/core/src/money.ts#round
import { show } from "~/view";
//       ^ -> packages/web/lib/view.ts#show
import { other } from "elsewhere";
//       ^ -> nothing
new Cart().total();
//         ^ -> packages/core/src/index.ts#Cart.total
show();
// <- packages/web/lib/view.ts#show
