// imports -> src/plain.js
const plain = require('./plain');
