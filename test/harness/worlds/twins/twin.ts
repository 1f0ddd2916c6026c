import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { openWorld } from './bluesky.ts';
import type { World } from './bluesky.ts';
import { openApp } from './facebook.ts';
import type { App, Params } from './facebook.ts';

/** What tests of a twin share: its sandbox, an app that it pushes to, and its door for people and lists. */
export type TwinWorld = Pick<World, 'sandbox' | 'clock' | 'root' | 'ask'> &
  Readonly<{
    app: App;
    /** Where the twin is. */
    at: string;
    act(name: string, input?: Params): Promise<any>;
    list(name: string): Promise<any[]>;
    /** What was done for the app so far is forgotten. */
    reset(): Promise<void>;
    close(): Promise<void>;
  }>;

/** The twin of a network with an app that its events go to. */
export async function openTwinWorld(slug: string, options: Partial<SandboxOptions> = {}): Promise<TwinWorld> {
  const app = await openApp(`/push/${slug}`);
  const world = await openWorld({ productUrl: () => app.url, ...options }, slug);
  const control = async (verb: string, name: string, input?: Params) => {
    const headers = { 'content-type': 'application/json' };
    const init = input === undefined ? {} : { body: JSON.stringify(input), headers };
    const reply = await world.ask(`/sandbox/__control/${slug}/${name}`, { method: verb, ...init });
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.text.replaceAll(/<[^>]+>/g, ' ')}`);
    return reply.json.data;
  };
  return {
    ...world,
    app,
    at: `${world.root}/sandbox/${slug}`,
    async act(name, input = {}) {
      const { done } = await control('POST', name, input);
      await world.sandbox.settle();
      return done;
    },
    list: (name) => control('GET', name),
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
