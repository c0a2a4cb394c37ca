export * from "./shape";
export * as all from "./shape";
export { Square as Box, default as make } from "./shape.js";
//       ^ -> src/shapes/shape.ts#Square
