interface A extends B { a: B }
interface B extends A { b: A }
declare let x: A;
x.a.b.a;
//^ -> #A.a
//  ^ -> #B.b
let self = { ...self, inner: self };
self.inner.inner.other;
//               ^ -> nothing
type Deep<T> = { next: Deep<T[]> };
declare let deep: Deep<string>;
deep.next.next.next;
//   ^ -> #Deep.next
