export type Headers = Readonly<Record<string, string>>;

/** Headers of one connection only (RFC 9110 § 7.6.1). */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
/** Headers about this server, or about how a request reached it. */
const OURS = /^(?:host|expect|cookie|authorization|forwarded|via|x-forwarded-.*|x-real-ip)$/;
/** Headers that would change how browsers treat our origin. */
const OF_BROWSERS =
  /^(?:set-cookie2?|clear-site-data|strict-transport-security|alt-svc|nel|report-to|reporting-endpoints|refresh|service-worker-allowed|content-security-policy.*|cross-origin-.*|origin-agent-cluster|access-control-.*|x-content-type-options)$/;
/** Headers of our own answer. */
const OF_ANSWER = /^x-request-id$/;
/** Valid characters of a header value. */
const WRITABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

function without(headers: Headers, ...dropped: readonly RegExp[]): Headers {
  const named = new Set((headers['connection'] ?? '').toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !named.has(name) && WRITABLE.test(value) && !dropped.some((one) => one.test(name)),
    ),
  );
}

export const requestHeaders = (headers: Headers): Headers => without(headers, HOP_BY_HOP, OURS);

export const answerHeaders = (headers: Headers): Headers => without(headers, HOP_BY_HOP, OF_BROWSERS, OF_ANSWER);
