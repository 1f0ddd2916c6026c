import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { openApp, type App } from './app.ts';
import { openWorld, type World } from './bluesky.ts';

/** The door of a twin: what its people do, and what it has. */
export type Control = Readonly<{
  act(name: string, input?: object): Promise<any>;
  list(name: string): Promise<any[]>;
}>;

/** What tests of a twin share: its sandbox, an app that it pushes to, and its door for people and lists. */
export type TwinWorld = Pick<World, 'sandbox' | 'clock' | 'root' | 'ask'> &
  Control &
  Readonly<{
    app: App;
    /** Where the twin is. */
    at: string;
    /** What was done for the app so far is forgotten. */
    reset(): Promise<void>;
    close(): Promise<void>;
  }>;

export function controlOf({ ask, sandbox }: Pick<World, 'ask' | 'sandbox'>, slug: string): Control {
  const control = async (verb: string, name: string, input?: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = input === undefined ? {} : { body: JSON.stringify(input), headers };
    const reply = await ask(`/sandbox/__control/${slug}/${name}`, { method: verb, ...init });
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.text.replaceAll(/<[^>]+>/g, ' ')}`);
    return reply.json.data;
  };
  return {
    async act(name, input = {}) {
      const { done } = await control('POST', name, input);
      await sandbox.settle();
      return done;
    },
    list: (name) => control('GET', name),
  };
}

/** The twin of a network with an app that its events go to. */
export async function openTwinWorld(
  slug: string,
  options: Partial<SandboxOptions> = {},
  opening = openApp(`/push/${slug}`),
): Promise<TwinWorld> {
  const app = await opening;
  const world = await openWorld({ productUrl: () => app.url, ...options }, slug);
  return {
    ...world,
    ...controlOf(world, slug),
    app,
    at: `${world.root}/sandbox/${slug}`,
    async reset() {
      await world.sandbox.reset();
      app.clear();
      app.answer(200);
    },
    async close() {
      await world.sandbox.settle();
      await world.close();
      await app.close();
    },
  };
}
