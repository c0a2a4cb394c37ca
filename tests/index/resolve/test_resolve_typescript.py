"""JavaScript and TypeScript beyond the file."""

from __future__ import annotations

from support.claims import check_claims

_SHAPES = {
    "src/shapes/shape.ts": """export interface Named { //= Named
  label: string; //= label
}
export abstract class Shape implements Named { //= Shape
  static count = 0; //= count
  constructor(public label: string, protected readonly sides = 0) {} //= shapelabel
  get size(): Size { return new Size(); } //= size
  scaled(by: number): this { return this; } //= scaled
}
export class Square extends Shape { //= Square
  area() { return this.label.length; } //= area //> label shapelabel
}
export class Size { //= Size
  width = 1; //= width
}
export enum Kind { Round, Flat } //= Kind
export default function make(): Square { return new Square("s"); } //= make
export const registry = { add(shape: Square) { shape.area(); }, held: new Size() }; //= add
""",
    "src/shapes/index.ts": """export * from "./shape"; //= index
export * as all from "./shape";
export { Square as Box, default as make } from "./shape.js"; //> Square Square
""",
}


def test_modules_and_members() -> None:
    check_claims(
        {
            **_SHAPES,
            "src/app.ts": """import make, { Kind, registry as known } from "./shapes/shape"; //> make make; Kind Kind
import { Square } from "./shapes/shape"; //> Square Square
import * as shapes from "./shapes"; //> Square -
import type { Named } from "./shapes/index.js"; //> Named Named
import { Box, all } from "./shapes"; //> Box Square
export function run(named: Named, list: Square[], later: Promise<Square>) { //> Named Named; Square Square
  named.label; //> label label
  make().area(); //> make make; area area
  shapes.Square.count; //> Square Square; count count
  new Box("b").scaled(2).size.width; //> Box Square; scaled scaled; size size; width width
  new all.Square("c").label; //> Square Square; label shapelabel
  for (const each of list) each.area(); //> area area
  list.map((one) => one.area()); //> area area
  later.then((one) => one.area()); //> area area
  const { size, ...rest } = make(); //> size size
  size.width; //> width width
  known.add(make()); //> add add
  known.held.width; //> width width
  Kind.Round; //> Round Kind
  (named as unknown as { label(): void }).label(); //> label -
}
async function wait(later: Promise<Square>) {
  (await later).area(); //> area area
}
""",
        }
    )


def test_types_and_literals() -> None:
    check_claims(
        {
            "types.ts": """export interface Options { //= Options
  depth?: number; //= depth
  inner: Inner; //= inner
}
export type Inner = { leaf: string }; //= leaf
export type Both = Options & { extra: Inner };
export interface Holder<T> { //= Holder
  held: T; //= held
  each(run: (value: T) => void): void; //= each
}
export function configure(options: Options): void {} //= configure
export function wrap<T>(value: T): Holder<T> { return { held: value, each() {} }; } //= wrap //> held held
""",
            "use.ts": """import { Options, Both, Holder, Inner, configure, wrap } from "./types";
const plain: Options = { depth: 1, inner: { leaf: "x" } }; //> depth depth; inner inner; leaf leaf
configure({ inner: { leaf: "y" } }); //> configure configure; inner inner; leaf leaf
function read({ inner, depth: deep }: Options) { //> inner inner; depth depth
  return inner.leaf; //> leaf leaf
}
declare const both: Both, holder: Holder<Inner>;
both.extra.leaf; //> leaf leaf
both.inner.leaf; //> inner inner; leaf leaf
holder.held.leaf; //> held held; leaf leaf
holder.each((value) => value.leaf); //> each each; leaf leaf
wrap(plain).held.inner; //> wrap wrap; held held; inner inner
type Leaf = Inner["leaf"]; //> leaf leaf
const unknown: any = plain;
unknown.inner; //> inner -
""",
        }
    )


def test_packages_of_a_workspace() -> None:
    check_claims(
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/core/package.json": (
                '{"name": "@shop/core", "exports": {".": "./dist/index.js", "./money": "./dist/money.js"}}'
            ),
            "packages/core/src/index.ts": "export class Cart { total() {} } //= total\n",
            "packages/core/src/money.ts": "export const round = (n: number) => n; //= round\n",
            "packages/web/package.json": '{"name": "web"}',
            "packages/web/tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["./lib/*"]}}}',
            "packages/web/lib/view.ts": "export function show() {} //= show\n",
            "packages/web/pages/start.ts": """import { Cart } from "@shop/core";
import { round } from "@shop/core/money"; //> round round
import { show } from "~/view"; //> show show
import { other } from "elsewhere"; //> other -
new Cart().total(); //> total total
show(); //> show show
""",
        }
    )


def test_a_package_whose_own_file_is_ignored() -> None:
    """What others take from the workspace is in the directory of its name."""
    check_claims(
        {
            "package.json": '{"private": true}',
            "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
            "packages/core/src/index.ts": "export function start() {} //= start\n",
            "packages/core/src/v2/index.ts": "export function begin() {} //= begin\n",
            "packages/web/package.json": '{"name": "web", "dependencies": {"core": "workspace:*", "lib": "1.0.0"}}',
            "packages/web/main.ts": """import { start } from "core"; //> start start
import { begin } from "core/v2"; //> begin begin
import { other } from "lib"; //> other -
""",
            "packages/lib/src/index.ts": "export function other() {}\n",
        }
    )


def test_javascript() -> None:
    check_claims(
        {
            "lib/store.js": """function Store(name) { //= Store
  this.name = name; //= name
}
Store.prototype.open = function () { return this.name; }; //= open //> name name
module.exports = { Store, close() {} }; //= close
""",
            "lib/main.js": """const { Store } = require("./store"); //> Store Store
const store = require("./store");
store.close(); //> close close
new Store("a").open(); //> Store Store; open open
new Store("a").name; //> name name
new Store("a").nothing; //> nothing -
""",
            "index.js": "module.exports = require('./lib/whole');\n",
            "lib/whole.js": """exports = module.exports = start;
function start() {} //= start
start.option = function () {}; //= option
""",
            "app/main.js": """const begin = require(".."); //> begin start
begin(); //> begin start
begin.option(); //> option option
require("../lib/store").close(); //> close close
""",
            "lib/page.jsx": """import { Panel } from "./panel";
export const page = () => <Panel title="x" />; //> Panel Panel; title title
""",
            "lib/panel.tsx": """interface Props { title: string } //= title
export function Panel(props: Props) { return props.title; } //= Panel //> title title
""",
        }
    )


def test_circles_end() -> None:
    """Modules that export each other, classes that extend each other, and values that are made of themselves."""
    count = 12
    files = {
        f"m{at}.ts": "".join(f'export * from "./m{other}";\n' for other in range(count) if other != at)
        for at in range(count)
    }
    check_claims(
        {
            **files,
            "use.ts": """import { missing } from "./m0"; //> missing -
interface A extends B { a: B } //= a
interface B extends A { b: A } //= b
declare let x: A;
x.a.b.a; //> a a; b b
let self = { ...self, inner: self }; //= inner
self.inner.inner.other; //> other -
type Deep<T> = { next: Deep<T[]> }; //= next
declare let deep: Deep<string>;
deep.next.next.next; //> next next
""",
        }
    )
