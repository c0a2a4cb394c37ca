import type from './type.js';

export default function ({ onClose = () => type }) {
  return onClose();
  //     ^ -> 3
}

export const other = () => {
  return other;
  //     ^ -> 8
};
