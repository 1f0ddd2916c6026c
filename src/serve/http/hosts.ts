import type { IncomingMessage } from 'node:http';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import type { Config } from '#kernel/config/config.ts';
import { fail } from '#kernel/errors.ts';
import { isPage, isWithin, MCP } from './areas.ts';

type Names = Pick<Config, 'rootUrl' | 'allowedHosts'>;

/** Kinds of host names: the public one, another name of this machine, one that ALLOWED_HOSTS lists, any other. */
type HostKind = 'root' | 'loopback' | 'listed' | 'unknown';

/** What to do with an admitted request: serve it, or send the visitor to the public address. */
export type Admission = Readonly<{ redirect?: string }>;

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?$/;
const SERVED: Admission = Object.freeze({});

/** Makes the first check of every request: it refuses host names that are not ours (DNS rebinding). */
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
    // Proxies often pass the name without its port.
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
      fail('http.421', {
        message: 'This host name is not served here.',
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
    // A session cookie belongs to one host name, so pages have only one. Behind a proxy that sends its own name for
    // ours, a redirect to ROOT_URL would come back here for ever.
    return rootIsLoopback && kind === 'loopback' && isPage(target) ? { redirect: `${rootUrl}${target}` } : SERVED;
  };
}

/** A request target that is an absolute URL names the host itself (RFC 9112 § 3.2.2); rewrites it to path and query. */
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

/**
 * One Host header, and none at all before HTTP/1.1 only (RFC 9112 § 3.2). Node keeps the first of two; a proxy that
 * believed the second would have checked another name than we do.
 */
function refuseHostCount({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') refuseHost('An HTTP/1.1 request has a Host header.');
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) refuseHost('A request has one Host header.');
}

/** Whether two names are the same but for case and the port of plain HTTP, which a URL leaves out. */
function isSameHost(one: string | undefined, other: string | undefined): boolean {
  const nameOf = (host: string | undefined) => host?.toLowerCase().replace(/:(?:80|443)$/, '');
  return one === undefined || nameOf(one) === nameOf(other);
}

function refuseHost(message: string): never {
  fail('validation.field_invalid', { message, meta: { field: 'Host' } });
}
