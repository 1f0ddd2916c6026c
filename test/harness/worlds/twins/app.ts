import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen, stop } from '../../sockets.ts';

export type Params = Record<string, string | number | boolean | object>;
type Got = Readonly<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;

/** Parameters as an address holds them: an object as JSON. */
export const searchOf = (params: Params) =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

/** An address with its parameters. */
export const addressOf = (url: string, params: Params) => `${url}?${searchOf(params).toString()}`;

/** An address to which parameters are added, if there are any. */
export function withQuery(url: string, params: Params): string {
  const query = searchOf(params).toString();
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** The header of a token, where there is one. */
export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** A request with a JSON body, where there is one. */
export const jsonRequest = (method: string, body?: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

const metaProof = ({ searchParams }: URL) =>
  searchParams.get('hub.verify_token') === 'sandbox' ? searchParams.get('hub.challenge') : null;

/** The app the simulator pushes to, with files anybody may fetch; `prove` is how its callback answers a handshake. */
export async function openApp(callback = '/push/facebook', prove: (url: URL) => string | null = metaProof) {
  let got: Got[] = [];
  let status = 200;
  let shakes = 0;
  let proves = true;
  const files = new Map<string, { bytes: Uint8Array; type: string }>();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const url = new URL(req.url ?? '', 'http://x');
      const file = files.get(url.pathname);
      if (file !== undefined) {
        res.setHeader('content-type', file.type);
        res.end(file.bytes);
      } else if (req.method === 'GET' && url.pathname === callback) {
        shakes += 1;
        const proof = proves ? prove(url) : null;
        res.statusCode = proof === null ? 403 : 200;
        res.end(proof ?? 'no');
      } else if (req.method === 'POST') {
        got.push({ method: 'POST', url: url.pathname, headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.statusCode = status;
        res.end(url.pathname.endsWith('data-deletion') ? '{"url":"https://x.example","confirmation_code":"c1"}' : 'ok');
      } else {
        res.statusCode = 404;
        res.end();
      }
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  /** What came to the callback, read. */
  const received = () => got.filter((one) => one.url === callback).flatMap(({ body }) => [JSON.parse(body)].flat());
  const entries = (): any[] => received().flatMap(({ entry }) => entry);
  return {
    url,
    /** What was pushed, handshakes left out. */
    pushes: () => got as readonly Got[],
    received,
    /** The entries of all pushes of Meta, in order. */
    entries,
    /** The updates in them. */
    updates: (): any[] => entries().flatMap((entry) => entry.changes ?? entry.messaging),
    handshakes: () => shakes,
    /** What the callback answers from now on; 200 at first. */
    answer: (next: number) => void (status = next),
    /** Handshakes fail from now on, or no more. */
    refuseHandshakes: (doRefuse = true) => void (proves = !doRefuse),
    put(name: string, bytes: Uint8Array, type = 'application/octet-stream') {
      files.set(`/${name}`, { bytes, type });
      return `${url}/${name}`;
    },
    clear: () => void (got = []),
    close: () => stop(server),
  };
}
