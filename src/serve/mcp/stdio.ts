import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../call/caller.ts';
import type { Toolset } from '../../call/tool.ts';
import type { Invoke } from '../invoke.ts';
import type { Card } from './card.ts';
import { capabilitiesOf, makeDispatch } from './dispatch.ts';
import { isRefusal, resultText } from './wire.ts';
import { makeWorld, type Offer } from './world.ts';

export type StdioOptions = Offer &
  Readonly<{
    toolsets: readonly Toolset[];
    supported: ReadonlySet<string>;
    invoke: Invoke;
    /** Who the key of this process speaks for; asked per request, so a revoked key ends here too. */
    identify(): Promise<Caller>;
    card: Card;
    input?: Readable;
    output?: Writable;
  }>;

/**
 * Serves the same operations to a desktop assistant over standard input and output, until the input ends.
 * The SDK's own server speaks here: one client, one conversation, and no hurry.
 */
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
          void sendNotification(message as Parameters<typeof sendNotification>[0]);
          return true;
        },
        gone: signal,
      });
      if (isRefusal(outcome)) throw new McpError(outcome.code, outcome.message, outcome.data);
      return JSON.parse(resultText(outcome, 'legacy', '')) as Record<string, unknown>;
    })();
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };

  const ended = once(input, 'end');
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  // A request whose sender only closed its side is still answered: what was read is taken up, done, and written.
  await setImmediate();
  await Promise.allSettled(running);
  await setImmediate();
  await server.close();
}
