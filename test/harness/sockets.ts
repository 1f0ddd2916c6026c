import { createServer, request, type IncomingHttpHeaders, type RequestOptions, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Listens on a free port of this machine; answers the port. */
export async function listen(server: Pick<NetServer, 'listen' | 'address'>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

type Stopped = Pick<Server, 'close' | 'closeAllConnections'>;

/** Ends a server and all its connections. */
export async function stop(server: Stopped): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** A port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await stop(server);
  return port;
}

/** Listens until the test has ended; answers the address. */
export async function serveTest(server: Pick<NetServer, 'listen' | 'address'> & Stopped): Promise<string> {
  onTestFinished(() => stop(server));
  return `http://127.0.0.1:${await listen(server)}`;
}

/** `body` is read where the answer is JSON that is not compressed. */
export type Exchanged = Readonly<{
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  body: any;
  setCookies: readonly string[];
}>;

/** One HTTP exchange on a connection of its own, with nothing added to the headers but what Node must. */
export function exchange(options: RequestOptions, body?: string | Buffer): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', agent: false, ...options }, (incoming) => {
      buffer(incoming).then((bytes) => {
        const { headers, statusCode: status = 0 } = incoming;
        const text = bytes.toString('utf8');
        const isPlain = headers['content-encoding'] === undefined && text !== '';
        const isJson = isPlain && headers['content-type']?.includes('json');
        const read = isJson ? JSON.parse(text) : undefined;
        resolve({ status, headers, bytes, text, body: read, setCookies: headers['set-cookie'] ?? [] });
      }, reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
