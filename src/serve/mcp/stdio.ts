import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Transform, type Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '#call/caller.ts';
import type { Toolset } from '#call/tool.ts';
import type { Invoke } from '../invoke.ts';
import type { Card } from './documents/card.ts';
import { capabilitiesOf, makeDispatch } from './dispatch.ts';
import { isRecord, isRefusal, resultText, withoutNulls } from './json-rpc.ts';
import { makeWorld, type Offer } from './world.ts';

export type StdioOptions = Offer &
  Readonly<{
    toolsets: readonly Toolset[];
    supported: ReadonlySet<string>;
    invoke: Invoke;
    /** Returns the owner of the process's key. It is checked for each request, so that a revoked key stops working. */
    identify(): Promise<Caller>;
    card: Card;
    input?: Readable;
    output?: Writable;
  }>;

/** Serves the operations to a desktop assistant over stdio, using the SDK's server. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { identify, input = process.stdin, output = process.stdout } = options;
  // oxlint-disable-next-line typescript/no-deprecated -- the low-level server is the one for lists made elsewhere
  const [{ Server }, { StdioServerTransport }, { McpError }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const world = makeWorld(options);
  const dispatch = makeDispatch(world);
  const view = world.views.whole;
  const { name, title, version } = options.card;
  const { instructions } = world;
  const server = new Server({ name, title, version }, { capabilities: capabilitiesOf(world, 'legacy'), instructions });
  const running = new Set<Promise<object>>();

  server.fallbackRequestHandler = (request, { signal, sendNotification }) => {
    const answer = (async () => {
      const outcome = await dispatch({
        era: 'legacy',
        id: request.id,
        method: request.method,
        params: request.params ?? {},
        view,
        caller: await identify(),
        requestId: randomUUID(),
        send(message) {
          // Fails only if the client has left, and then the transport ends.
          sendNotification(message as Parameters<typeof sendNotification>[0]).catch(() => undefined);
          return true;
        },
        disconnectSignal: () => signal,
      });
      if (isRefusal(outcome)) throw new McpError(outcome.code, outcome.message, outcome.data);
      return JSON.parse(resultText(outcome, 'legacy', '')) as Record<string, unknown>;
    })();
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };

  const read = input.pipe(readable());
  const ended = once(read, 'end');
  await server.connect(new StdioServerTransport(read, output));
  await ended;
  // Pending requests still get a response after the client closes its side.
  await setImmediate();
  await Promise.allSettled(running);
  await setImmediate();
  await server.close();
}

/** The longest line to buffer. The SDK refuses longer ones. */
const LONGEST_LINE = 8_388_608;
const NEWLINE = 10;

/** Prepares messages for the SDK, which ignores those with null params. */
function readable(): Transform {
  let held: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer) => {
    const line = Buffer.concat([...held, last]);
    held = [];
    length = 0;
    return line;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        this.push(rewritten(take(rest.subarray(0, end))));
        rest = rest.subarray(end + 1);
      }
      held.push(rest);
      length += rest.length;
      done(null, length > LONGEST_LINE ? take(Buffer.alloc(0)) : undefined);
    },
    flush(done) {
      done(null, take(Buffer.alloc(0)));
    },
  });
}

function rewritten(line: Buffer): Buffer | string {
  const message = parsed(line);
  const lean = isRecord(message) ? withoutNulls(message) : message;
  return lean === message ? Buffer.concat([line, Buffer.of(NEWLINE)]) : `${JSON.stringify(lean)}\n`;
}

/** Invalid JSON is left to the SDK. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
