import { isCallable } from './addresses.ts';
import { OutboundError, type OutboundRequest } from './outbound.ts';

export type Target = Readonly<{ url: URL; trusted: boolean; headers: Readonly<Record<string, string>> }>;

/** Headers that are kept on a redirect to another origin; any other header may contain credentials. */
const HARMLESS = new Set(['accept', 'accept-encoding', 'accept-language', 'range', 'user-agent']);

/** Parses the URL of a request, or of a redirect from `base`; throws if it cannot be called. */
export function parseTarget(address: string | URL, base?: URL): URL {
  const url = URL.parse(String(address), base?.href);
  if (url === null) throw new OutboundError('bad_url', base?.host ?? '', { sent: !!base });
  if (!isCallable(url)) throw new OutboundError('bad_url', url.host, { sent: !!base });
  return url;
}

export function redirected(from: Target, location: string, isTrusted: (url: URL) => boolean): Target {
  const url = withoutUser(parseTarget(location, from.url));
  const kept = Object.entries(from.headers).filter(([name]) => url.origin === from.url.origin || HARMLESS.has(name));
  return { url, trusted: isTrusted(url), headers: Object.fromEntries(kept) };
}

export function headersFor(request: OutboundRequest, url: URL, userAgent: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': userAgent, ...basicOf(url) };
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  return headers;
}

export function withoutUser(url: URL): URL {
  if (url.username === '' && url.password === '') return url;
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** Sends user and password of a URL as Basic credentials, as other clients do. */
function basicOf(url: URL): Readonly<Record<string, string>> {
  if (url.username === '' && url.password === '') return {};
  const pair = Buffer.from(`${unescaped(url.username)}:${unescaped(url.password)}`).toString('base64');
  return { authorization: 'Basic ' + pair };
}

function unescaped(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}
