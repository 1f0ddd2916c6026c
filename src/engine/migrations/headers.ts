export type Headers = Readonly<Record<string, string>>;

/** Headers that apply to one connection only (RFC 9110 § 7.6.1). */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
/** Headers about this server, or about how a request reached it. */
const OURS = /^(?:host|expect|cookie|authorization|forwarded|via|x-forwarded-.*|x-real-ip)$/;
/** Headers that would change how browsers treat this server's origin. */
const OF_BROWSERS =
  /^(?:set-cookie2?|clear-site-data|strict-transport-security|alt-svc|nel|report-to|reporting-endpoints|refresh|service-worker-allowed|content-security-policy.*|cross-origin-.*|origin-agent-cluster|access-control-.*|x-content-type-options)$/;
/** Headers that this server sets on its own responses. */
const OF_ANSWER = /^x-request-id$/;
/** The characters that a header value may contain. */
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
