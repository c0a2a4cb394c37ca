export function other() {}
