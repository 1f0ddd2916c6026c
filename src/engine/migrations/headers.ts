export type Headers = Readonly<Record<string, string>>;

/** Of one connection, never of the next (RFC 9110 § 7.6.1). */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
/** What is about this server, or about how a request came to it. */
const OURS = /^(?:host|expect|cookie|authorization|forwarded|via|x-forwarded-.*|x-real-ip)$/;
/** What would change how browsers treat this server, whose origin the answer comes from. */
const OF_BROWSERS =
  /^(?:set-cookie2?|clear-site-data|strict-transport-security|alt-svc|nel|report-to|reporting-endpoints|refresh|service-worker-allowed|content-security-policy.*|cross-origin-.*|origin-agent-cluster|access-control-.*|x-content-type-options)$/;
/** What this server says of its own answer. */
const OF_ANSWER = /^x-request-id$/;
/** What an HTTP header may hold. */
const WRITABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

function without(headers: Headers, ...dropped: readonly RegExp[]): Headers {
  const named = new Set((headers['connection'] ?? '').toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !named.has(name) && WRITABLE.test(value) && !dropped.some((one) => one.test(name)),
    ),
  );
}

/** The headers of a client that its provider gets. */
export const requestHeaders = (headers: Headers): Headers => without(headers, HOP_BY_HOP, OURS);

/** The headers of a provider that its client gets. */
export const answerHeaders = (headers: Headers): Headers => without(headers, HOP_BY_HOP, OF_BROWSERS, OF_ANSWER);
