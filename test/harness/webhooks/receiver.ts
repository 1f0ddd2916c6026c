import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { makeCertificates } from '../certificates.ts';
import { listen, stop } from '../sockets.ts';

export type Received = Readonly<{
  headers: IncomingHttpHeaders;
  raw: string;
  body: { event: string; data: Record<string, unknown> };
}>;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The authority that signs the certificates of all receivers of this process. */
export const receiverCertificates = makeCertificates(['localhost']);

/** An HTTPS webhook receiver that keeps what it gets. */
export async function startReceiver() {
  const received: Received[] = [];
  const answers: number[] = [];
  const { key, cert } = receiverCertificates;
  const server = createServer({ key, cert }, (req, res) => {
    void text(req).then((raw) => {
      received.push({ headers: req.headers, raw, body: JSON.parse(raw) as Received['body'] });
      res.writeHead(answers.shift() ?? 204).end();
    });
  });
  return {
    url: `https://localhost:${await listen(server)}/hook`,
    received: received as readonly Received[],
    /** The names of the events it got, in their order. */
    events: () => received.map(({ body }) => body.event),
    /** What the next requests are answered; 204 when nothing is said. */
    answer: (...statuses: number[]) => void answers.push(...statuses),
    close: () => stop(server),
  };
}
