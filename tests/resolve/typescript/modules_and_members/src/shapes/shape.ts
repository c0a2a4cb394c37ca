export interface Named {
  label: string;
}
export abstract class Shape implements Named {
  static count = 0;
  constructor(public label: string, protected readonly sides = 0) {}
  get size(): Size { return new Size(); }
  scaled(by: number): this { return this; }
}
export class Square extends Shape {
  area() { return this.label.length; }
  //                   ^ -> #Shape.label
}
export class Size {
  width = 1;
}
export enum Kind { Round, Flat }
export default function make(): Square { return new Square("s"); }
export const registry = { add(shape: Square) { shape.area(); }, held: new Size() };
