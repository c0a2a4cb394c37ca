import type from './type.js';
import _ from 'lodash';
//     ^ import lodash default
import { lodash } from 'lodash';
//       ^ import lodash lodash

_.map(lodash, type);
//^ member_call

export default function ({ onClose = () => type }) {
  return onClose();
  //     ^ -> 10
}

export const other = () => {
  return other;
  //     ^ -> 15
};
