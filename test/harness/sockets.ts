import { request, type IncomingHttpHeaders, type RequestOptions, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens on a free port of this machine; answers the port. */
export async function listen(server: Pick<Server, 'listen' | 'address'>): Promise<number> {
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

/** Listens until the test has ended; answers the address. */
export async function serveTest(server: Pick<Server, 'listen' | 'address'> & Stopped): Promise<string> {
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
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const { headers, statusCode: status = 0 } = incoming;
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString('utf8');
        const isPlain = headers['content-encoding'] === undefined && text !== '';
        const isJson = isPlain && headers['content-type']?.includes('json');
        const read = isJson ? JSON.parse(text) : undefined;
        resolve({ status, headers, bytes, text, body: read, setCookies: headers['set-cookie'] ?? [] });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
