exports = module.exports = start;
function start() {}
start.option = function () {};
