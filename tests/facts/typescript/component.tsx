import React, { type FC, useState as useLocal } from 'react';
import { Row } from './row';

type Props<T> = { items: T[]; render?: (item: T) => React.ReactNode };
//                       ^ -> 4
//                                                  ^ import react default
//                                                        ^ member

export const List: FC<Props<string>> = ({ items, render = String }) => {
//           ^ def function List
//                 ^ import react FC
//                    ^ -> 4
  const [open, setOpen] = useLocal<boolean>(false);
  //                      ^ import react useState
  const row = render;

  return (
    <ul
   // ^ label
      onClick={() => setOpen(!open)}
      // ^ label
      //             ^ -> 13
      {...{ open }}
      //    ^ -> 13
    >
      {items.map((item) => <Row key={item} value={row(item)} />)}
    </ul>
  );
};

function Generic<T,>({ items, ...rest }: Props<T>) {
  //     ^ def function Generic
  return <List<T> {...rest} items={items.map((row) => <row.type />)} />;
  //      ^ -> 9
  //      ^ call
  //           ^ -> 31
  //                  ^ -> 31
  //                                                   ^ -> 33
  //                                                       ^ member_call
}

export default function Page() {
  return <><Generic items={[]} /><Unknown.Part /></>;
  //        ^ -> 31
  //                              ^ unknown
}
