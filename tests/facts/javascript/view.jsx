import React, { useState } from 'react';
import * as Icons from './icons';

const div = 'not an element';

export const Card = ({ title, children, ...props }) => {
  //         ^ def function Card
  const [open, setOpen] = useState(false);
  //           ^ -> 8
  return (
    <section
      // ^ label
      className={div}
      // ^ label
      //         ^ -> 4
      onClick={() => setOpen(!open)}
      //             ^ -> 8
      {...props}
      //  ^ -> 6
    >
      <div>{title}</div>
      <Icons.Close size={1} xlink:href="#a" />
    </section>
  );
};

export default () => <Card title={<Missing />} />;
//                    ^ -> 6
//                    ^ call
//                                 ^ unknown
