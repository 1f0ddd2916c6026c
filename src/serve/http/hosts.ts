import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import type { Config } from '#kernel/config/config.ts';
import { fail } from '#kernel/errors.ts';
import { isPage, isWithin, MCP } from './areas.ts';

type Names = Pick<Config, 'rootUrl' | 'allowedHosts'>;

/** The public host name, another name of this machine, one in ALLOWED_HOSTS, or any other. */
type HostKind = 'root' | 'loopback' | 'listed' | 'unknown';

/** The request may be served, or is redirected to the public address. */
export type Admission = Readonly<{ redirect?: string }>;

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?$/;
const SERVED: Admission = Object.freeze({});
/** The stylesheet of the page that refuses a host name. It is the same for everybody. */
const STYLESHEET = /^\/assets\/rostra\.css(?:\?|$)/;

/** The first check of every request: refuses foreign host names (DNS rebinding). */
export function makeAdmission({ rootUrl, allowedHosts }: Names): (req: IncomingMessage) => Admission {
  const root = new URL(rootUrl);
  const schemePort = root.protocol === 'https:' ? '443' : '80';
  const rootPort = root.port || schemePort;
  const rootIsLoopback = isLoopbackName(root.hostname);
  const listed = new Set(allowedHosts);

  const kindOf = (host: string, localPort: number | undefined): HostKind => {
    if (host === root.host) return 'root';
    const match = HOST.exec(host.toLowerCase());
    if (match === null) return 'unknown';
    const [, name = '', port] = match;
    // Proxies often leave out the port.
    const meant = port === undefined && !rootIsLoopback ? rootPort : (port ?? schemePort);
    if (name === root.hostname && meant === rootPort) return 'root';
    const ours = Number(port ?? 80) === localPort || (rootIsLoopback && port === rootPort);
    if (isLoopbackName(name) && ours) return 'loopback';
    return listed.has(name) || listed.has(`${name}:${port ?? ''}`) ? 'listed' : 'unknown';
  };

  return function admit(req) {
    refuseHostCount(req);
    const { host } = req.headers;
    const target = toOriginForm(req);
    const kind = kindOf(req.headers.host ?? '', req.socket.localPort);
    if (kind === 'unknown') {
      if (STYLESHEET.test(target)) return SERVED;
      fail('http.421', {
        message: 'This server does not serve this host name.',
        next: `Use ${rootUrl}, or set ROOT_URL or ALLOWED_HOSTS to it.`,
      });
    }
    if (host !== req.headers.host && !isSameHost(host, req.headers.host)) {
      refuseHost('The request line and the Host header name different hosts.');
    }
    if (kind === 'root') return SERVED;
    if (kind === 'loopback' && rootIsLoopback && isWithin(MCP, target)) {
      fail('http.421', {
        message: 'This is not the address that tokens are issued for.',
        next: `Use ${rootUrl}${target.split('?')[0]!}.`,
      });
    }
    // Pages need the host name of their session cookie. Only on loopback, as a proxy that renames hosts would loop.
    return rootIsLoopback && kind === 'loopback' && isPage(target) ? { redirect: `${rootUrl}${target}` } : SERVED;
  };
}

/** Reduces an absolute request target to path and query, and uses its host (RFC 9112 § 3.2.2). */
function toOriginForm(req: IncomingMessage): string {
  const target = req.url ?? '/';
  if (target.startsWith('/')) return target;
  if (target === '*') return target;
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  if (url === null) fail('validation.field_invalid', { message: 'The address of the request cannot be read.' });
  req.headers.host = url.host;
  req.url = url.pathname + url.search;
  return req.url;
}

/** Requires exactly one Host header (RFC 9112 § 3.2): Node uses the first of two, but a proxy may use the second. */
function refuseHostCount({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') refuseHost('An HTTP/1.1 request needs a Host header.');
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) refuseHost('A request must have exactly one Host header.');
}

/** Compares host names without regard to case or the default port. */
function isSameHost(one: string | undefined, other: string | undefined): boolean {
  const nameOf = (host: string | undefined) => host?.toLowerCase().replace(/:(?:80|443)$/, '');
  return one === undefined || nameOf(one) === nameOf(other);
}

function refuseHost(message: string): never {
  fail('validation.field_invalid', { message, meta: { field: 'Host' } });
}

/** The address of a request's client; behind N trusted proxies, the one that the first of them saw. */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const direct = socket.remoteAddress ?? '';
  if (trustedProxies === 0) return direct;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  return forwarded.slice(-trustedProxies)[0]!.trim() || direct;
}
