export interface Options {
  depth?: number;
  inner: Inner;
}
export type Inner = { leaf: string };
export type Both = Options & { extra: Inner };
export interface Holder<T> {
  held: T;
  each(run: (value: T) => void): void;
}
export function configure(options: Options): void {}
export function wrap<T>(value: T): Holder<T> { return { held: value, each() {} }; }
//                                                      ^ -> #Holder.held
