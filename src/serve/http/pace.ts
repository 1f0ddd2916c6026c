import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.ts';
import { hasBody } from './body.ts';

/** How often the bodies on their way are looked at, and what none is judged before. */
const STEP_MS = 5_000;
/** The least that must come (rulings 5.16). */
const BYTES_PER_MS = 10;
/** The longest that a body may take, unless it is a file. */
const LONGEST_MS = 120_000;
/** The most that is read and dropped after the answer, so that the connection can be used again. */
const DROPPED_BYTES = 16_777_216;

type Body = Readonly<{ req: IncomingMessage; socket: Socket; startedAt: number }> & {
  /** How long we waited for the sender; while we are the slow ones, nobody is blamed. */
  waitedMs: number;
  seenAt: number;
  /** What the connection had brought when the answer was out. */
  answeredAt?: number;
};

const files = new WeakSet<IncomingMessage>();

/** Lets the body take as long as it needs at the least pace: it is a file, and its sender is known. */
export const allowLong = (req: IncomingMessage): void => void files.add(req);

/** Ends requests whose body comes too slowly, and reads the rest of those that were answered before their end. */
export function makePace(
  clock: Clock,
  end: (socket: Socket) => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  const bodies = new Set<Body>();
  let looking = false;

  function look(): void {
    for (const body of bodies) {
      if (body.req.complete || body.socket.destroyed) bodies.delete(body);
      else if (!isWelcome(body, clock.now())) {
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
    // Nearly every body is gone by the next look: one timer is enough for all that come meanwhile.
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
    // Nearly every body comes with its head, and is there once the parser is done with what it read.
    if (hasBody(req)) process.nextTick(begin, req, res);
  };
}

function isWelcome(body: Body, now: number): boolean {
  const { req, socket, answeredAt } = body;
  if (req.readableLength < req.readableHighWaterMark) body.waitedMs += now - body.seenAt;
  body.seenAt = now;
  if (answeredAt !== undefined && socket.bytesRead - answeredAt > DROPPED_BYTES) return false;
  if (body.waitedMs > LONGEST_MS && !files.has(req)) return false;
  return body.waitedMs < STEP_MS || socket.bytesRead - body.startedAt >= body.waitedMs * BYTES_PER_MS;
}
