import { start } from "core";
//       ^ -> packages/core/src/index.ts#start
import { begin } from "core/v2";
//       ^ -> packages/core/src/v2/index.ts#begin
import { other } from "lib";
//       ^ -> nothing
