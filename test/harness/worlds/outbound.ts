import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { makeCertificates } from '../certificates.ts';
import { listen as listenOn } from '../sockets.ts';
import { makeOutbound, OutboundError, type OutboundOptions, type OutboundRequest } from '#kernel/net/request.ts';

export type { IncomingMessage };

/** A client whose names resolve by a table; what is not in it does not exist. Closed after the test. */
export function outbound(names: Record<string, readonly string[]> = {}, options: Partial<OutboundOptions> = {}) {
  const client = makeOutbound({
    allowPrivate: 'off',
    ownPort: () => undefined,
    trustedOrigins: () => [],
    userAgent: 'test/1',
    query: async (name) => names[name] ?? [],
    ...options,
  });
  onTestFinished(() => client.close());
  /** Sends a plain guarded request, or one that differs from it. */
  const get = (url: string, more: Partial<OutboundRequest> = {}) => client.send({ ...given, url, ...more });
  return {
    ...client,
    get,
    /** The kind of the failure of such a request, and whether the request was sent. */
    async failing(url: string, more: Partial<OutboundRequest> = {}): Promise<[OutboundError['kind'], sent: boolean]> {
      const { kind, sent } = await failure(get(url, more));
      return [kind, sent];
    },
  };
}

export async function listen(server: Server | TcpServer): Promise<number> {
  const port = await listenOn(server);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

export const serve = (answer: RequestListener) => listen(createServer({ keepAliveTimeout: 60_000 }, answer));

export const serveTls = (certificates: { key: string; cert: string }, answer: RequestListener) =>
  listen(createSecureServer(certificates, answer));

/** Certificates of a receiver, and the client of one whose name only that client knows. */
export const receiverCertificates = makeCertificates(['receiver.test']);
export const receiverClient = (options: Partial<OutboundOptions> = {}) =>
  outbound({ 'receiver.test': ['127.0.0.1'] }, { allowPrivate: 'on', ca: receiverCertificates.ca, ...options });

export const serveTcp = (greet: (socket: Socket) => void) => listen(createTcpServer(greet));

/** A server that answers everything, and how often it was asked. */
export async function counting() {
  let calls = 0;
  const port = await serve((_request, response) => response.end(String((calls += 1))));
  return { port, calls: () => calls };
}

/** The body of an answer as text. */
export const textOf = ({ body }: Readonly<{ body: Uint8Array }>) => Buffer.from(body).toString();

/** The failure of a request, which must be one. */
export async function failure(sending: Promise<unknown>): Promise<OutboundError> {
  const error: unknown = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

/** A plain guarded request, to be spread over. */
export const given = { method: 'GET', purpose: 'webhook', given: true, deadlineMs: 5_000, maxBytes: 16_384 } as const;
