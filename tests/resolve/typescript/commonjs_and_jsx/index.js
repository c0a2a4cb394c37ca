module.exports = require('./lib/whole');
