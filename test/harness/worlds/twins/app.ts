import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Params = Record<string, string | number | boolean | object>;
export type Got = Readonly<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;

/** The app the twin pushes to, with files anybody may fetch. */
export type App = Readonly<{
  url: string;
  /** What came to the callback, handshakes left out. */
  pushes(): readonly Got[];
  handshakes(): number;
  /** The updates of all pushes, in order. */
  updates(): any[];
  /** What the callback answers from now on; 200 at first. */
  answer(status: number): void;
  /** Handshakes fail from now on, or no more. */
  refuseHandshakes(doRefuse?: boolean): void;
  put(name: string, bytes: Uint8Array, type?: string): string;
  clear(): void;
  close(): Promise<void>;
}>;

/** Starts a server on a free port; answers its address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends a server with whatever is connected to it. */
export async function end(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Parameters as an address holds them: an object as JSON. */
export const searchOf = (params: Params) =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

/** The header of a token, where there is one. */
export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

const metaProof = ({ searchParams }: URL) =>
  searchParams.get('hub.verify_token') === 'sandbox' ? searchParams.get('hub.challenge') : null;

/** An app whose callback is at a path; `prove` is how it answers a handshake. */
export async function openApp(
  callback = '/push/facebook',
  prove: (url: URL) => string | null = metaProof,
): Promise<App> {
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
  const url = await listen(server);
  return {
    url,
    pushes: () => got,
    handshakes: () => shakes,
    updates: () =>
      got
        .filter((one) => one.url === callback)
        .flatMap(({ body }) => [JSON.parse(body)].flat())
        .flatMap(({ entry }) => entry)
        .flatMap((entry: any) => entry.changes ?? entry.messaging),
    answer: (next) => void (status = next),
    refuseHandshakes: (doRefuse = true) => void (proves = !doRefuse),
    put(name, bytes, type = 'application/octet-stream') {
      files.set(`/${name}`, { bytes, type });
      return `${url}/${name}`;
    },
    clear: () => void (got = []),
    close: () => end(server),
  };
}
