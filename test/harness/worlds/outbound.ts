import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { makeOutbound, OutboundError, type Outbound, type OutboundOptions } from '../../../src/kernel/net/request.ts';

export type { IncomingMessage };

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** A client whose names resolve by a table; what is not in it does not exist. Closed after the test. */
export function outbound(
  names: Record<string, readonly string[]> = {},
  options: Partial<OutboundOptions> = {},
): Outbound {
  const client = makeOutbound({
    allowPrivate: 'off',
    ownPort: () => undefined,
    trustedOrigins: () => [],
    userAgent: 'test/1',
    query: async (name) => names[name] ?? [],
    ...options,
  });
  open.push(() => client.close());
  return client;
}

export async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

export const serve = (answer: RequestListener) => listen(createServer({ keepAliveTimeout: 60_000 }, answer));

export const serveTls = (certificates: { key: string; cert: string }, answer: RequestListener) =>
  listen(createSecureServer(certificates, answer));

export const serveTcp = (greet: (socket: Socket) => void) => listen(createTcpServer(greet));

/** A port that nobody listens on any more. */
export async function listenAndClose(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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
