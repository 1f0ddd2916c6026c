import { createHmac } from 'node:crypto';
import { createServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen, stop } from '../../harness/sockets.ts';
import { receiverCertificates } from '../../harness/webhooks/receiver.ts';

export type Arrived = Readonly<{
  path: string;
  delivery: string;
  signature: string;
  /** What the signature is reckoned over. */
  signed: string;
  /** How the sender calls itself. */
  sender: string | undefined;
}>;

/** Answers a request; `times` is how often this delivery has come to this path, this time included, and `reset` ends its connection. */
export type Answer = (response: ServerResponse, times: number, reset: () => void) => unknown;

/** An HTTPS receiver that keeps what it gets and answers by path; it does not outlive the test. */
export async function receive(answers: Readonly<Record<string, Answer>>) {
  const arrived: Arrived[] = [];
  const times = new Map<string, number>();
  const { key, cert } = receiverCertificates;
  const server = createServer({ key, cert, keepAliveTimeout: 60_000 }, (request, response) => {
    void text(request).then((body) => {
      const path = request.url!;
      const header = (name: string) => String(request.headers[`x-service-${name}`]);
      const delivery = header('delivery');
      const seen = (times.get(`${path} ${delivery}`) ?? 0) + 1;
      times.set(`${path} ${delivery}`, seen);
      arrived.push({
        path,
        delivery,
        signature: header('signature-v2'),
        signed: `${header('timestamp')}.${body}`,
        sender: request.headers['user-agent'],
      });
      answers[path]!(response, seen, () => sockets.get(request.socket.remotePort)?.resetAndDestroy());
    });
  });
  server.on('tlsClientError', () => {});
  // Only the socket under TLS can be reset.
  const sockets = new Map<number | undefined, Socket>();
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort;
    sockets.set(port, socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(port));
  });
  onTestFinished(() => stop(server));
  const port = await listen(server);
  return {
    arrived,
    to: (path: string) => arrived.filter((one) => one.path === path),
    url: (path: string) => `https://localhost:${port}${path}`,
  };
}

/** Whether what arrived was signed with the endpoint's secret; reckoned without any code of ours. */
export function isSigned({ signature, signed }: Arrived, secret: string): boolean {
  return signature === 'sha256=' + createHmac('sha256', secret).update(signed).digest('hex');
}
