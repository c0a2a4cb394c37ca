// The suite knows no tokens: every request that it makes gets ours, unless it brings one of its own.
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { getGlobalDispatcher, setGlobalDispatcher } from "undici";

const value = `Bearer ${process.env.CODEPLANE_CONFORMANCE_TOKEN}`;

const plainFetch = globalThis.fetch;
globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined));
  if (!headers.has("authorization")) headers.set("authorization", value);
  return plainFetch(input, { ...init, headers });
};

setGlobalDispatcher(
  getGlobalDispatcher().compose((dispatch) => (options, handler) => {
    const given = options.headers ?? {};
    const flat = Array.isArray(given) ? given : Object.entries(given).flat();
    const known = flat.some((name, at) => at % 2 === 0 && String(name).toLowerCase() === "authorization");
    return dispatch({ ...options, headers: known ? flat : [...flat, "authorization", value] }, handler);
  }),
);

const plainRequest = http.request;
http.request = (...given) => {
  const request = plainRequest(...given);
  if (!request.headersSent && !request.hasHeader("authorization")) request.setHeader("authorization", value);
  return request;
};
syncBuiltinESMExports();
