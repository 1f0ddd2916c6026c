// An HTTPS receiver in a process of its own, so that its work is not counted as the sender's; see receivers.ts.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Only the socket under TLS can be reset. */
const sockets = new Map<number | undefined, Socket>();

/** How often each delivery came, by path. */
const seen = new Map<string, Map<string, number>>();

function count(request: IncomingMessage): number {
  const path = request.url!;
  const of = seen.get(path) ?? new Map<string, number>();
  seen.set(path, of);
  const id = String(request.headers['x-service-delivery']);
  const times = (of.get(id) ?? 0) + 1;
  of.set(id, times);
  return times;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const times = count(request);
  if (request.url === '/reset') return void sockets.get(request.socket.remotePort)?.resetAndDestroy();
  for await (const _ of request) continue;
  if (request.url!.startsWith('/slow')) await wait(slowMs);
  response.writeHead(request.url === '/flaky' && times === 1 ? 500 : 204).end();
}

const [{ slowMs, ...certificates }] = (await once(process, 'message')) as [
  { key: string; cert: string; slowMs: number },
];
const options = { ...certificates, keepAliveTimeout: 60_000 };
const server = createServer(options, (request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.on('tlsClientError', () => {});
server.on('connection', (socket: Socket) => {
  const port = socket.remotePort;
  sockets.set(port, socket);
  socket.on('error', () => {}).once('close', () => sockets.delete(port));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send!({ port: (server.address() as AddressInfo).port });
process.on('message', () => {
  process.send!({ seen: Object.fromEntries([...seen].map(([path, of]) => [path, of.size])) });
});
process.once('disconnect', () => process.exit(0));
