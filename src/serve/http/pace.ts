import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '#kernel/clock.ts';
import { hasBody } from './body.ts';

/** How often incoming bodies are checked. Also the time before the minimum rate applies. */
const STEP_MS = 5_000;
/** The minimum rate of a body. */
const BYTES_PER_MS = 10;
/** The longest time for a body that is not a file. */
const LONGEST_MS = 120_000;
/** How many bytes to discard after the response, so that the connection can be reused. */
const DROPPED_BYTES = 16_777_216;

type Body = Readonly<{ req: IncomingMessage; socket: Socket; startedAt: number }> & {
  /** Time spent waiting for the sender, without the time in which this side reads slowly. */
  waitedMs: number;
  seenAt: number;
  /** Bytes read by the time the response was sent. */
  answeredAt?: number;
};

const files = new WeakSet<IncomingMessage>();

/** Exempts an authenticated file upload from the longest time, but not from the minimum rate. */
export const allowLong = (req: IncomingMessage): void => void files.add(req);

/** Ends requests whose body is too slow, and discards the rest of a body after an early response. */
export function makePace(
  clock: Clock,
  end: (socket: Socket) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  const bodies = new Set<Body>();
  let looking = false;

  function look(): void {
    for (const body of bodies) {
      if (body.req.complete || body.socket.destroyed) bodies.delete(body);
      else if (!isFastEnough(body, clock.now())) {
        bodies.delete(body);
        if (body.answeredAt === undefined) end(body.socket);
        else body.socket.destroy();
      }
    }
    looking = bodies.size > 0;
    if (looking) clock.after(STEP_MS, look);
  }

  function begin(req: IncomingMessage, res: ServerResponse): void {
    if (req.complete) return;
    const { socket } = req;
    const body: Body = { req, socket, startedAt: socket.bytesRead, waitedMs: 0, seenAt: clock.now() };
    bodies.add(body);
    // Most bodies are complete by the next check, so one timer is enough for all.
    if (!looking) clock.after(STEP_MS, look);
    looking = true;
    res.once('close', () => {
      if (req.complete) {
        bodies.delete(body);
        return;
      }
      body.answeredAt = socket.bytesRead;
      req.resume();
    });
  }

  return function watch(req, res) {
    // Most bodies are complete once the parser has finished this chunk.
    if (hasBody(req)) process.nextTick(begin, req, res);
  };
}

function isFastEnough(body: Body, now: number): boolean {
  const { req, socket, answeredAt } = body;
  if (req.readableLength < req.readableHighWaterMark) body.waitedMs += now - body.seenAt;
  body.seenAt = now;
  if (answeredAt !== undefined && socket.bytesRead - answeredAt > DROPPED_BYTES) return false;
  if (body.waitedMs > LONGEST_MS && !files.has(req)) return false;
  return body.waitedMs < STEP_MS || socket.bytesRead - body.startedAt >= body.waitedMs * BYTES_PER_MS;
}
