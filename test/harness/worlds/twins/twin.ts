import type { SandboxOptions } from '#sandbox/network.ts';
import { jsonRequest, openApp } from './app.ts';
import { openWorld, type World } from './bluesky.ts';

/** The controls of a simulator: what its people do, and what it has. */
export function controlOf({ ask, sandbox }: Pick<World, 'ask' | 'sandbox'>, slug: string) {
  async function control(method: string, name: string, input?: object) {
    const reply = await ask(`/sandbox/__control/${slug}/${name}`, jsonRequest(method, input));
    if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.text.replaceAll(/<[^>]+>/g, ' ')}`);
    return reply.json.data;
  }
  async function act(name: string, input: object = {}) {
    const { done } = await control('POST', name, input);
    await sandbox.settle();
    return done;
  }
  return {
    act,
    list: (name: string): Promise<any[]> => control('GET', name),
    /** Goes through a consent page as somebody; answers the code that the app gets. */
    async consent(url: string, person: string, choice: object = {}) {
      const { location } = await act('consent', { url, person, ...choice });
      return new URL(location).searchParams.get('code') ?? '';
    },
  };
}

/** The simulator of a network with an app that its events go to. */
export async function openTwinWorld(
  slug: string,
  options: Partial<SandboxOptions> = {},
  opening = openApp(`/push/${slug}`),
) {
  const app = await opening;
  const { sandbox, clock, root, ask, close } = await openWorld({ productUrl: () => app.url, ...options }, slug);
  return {
    sandbox,
    clock,
    root,
    ask,
    ...controlOf({ ask, sandbox }, slug),
    app,
    /** Where the simulator is. */
    at: `${root}/sandbox/${slug}`,
    /** What was done for the app so far is forgotten. */
    async reset() {
      await sandbox.reset();
      app.clear();
      app.answer(200);
    },
    async close() {
      await sandbox.settle();
      await close();
      await app.close();
    },
  };
}
