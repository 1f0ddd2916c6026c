import type { SandboxOptions } from '#sandbox/network.ts';
import { bearer, jsonRequest } from './app.ts';
import { openTwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';

export type ZernioWorld = Awaited<ReturnType<typeof openZernioWorld>>;

/** The simulator of Zernio; calls without a key are those of the first team. */
export async function openZernioWorld(options: Partial<SandboxOptions> = {}) {
  const world = await openTwinWorld('zernio', options);
  const api = `${world.at}/api`;
  const first = () => world.sandbox.people().find(({ handle }) => handle === OLIVIA)!.credentials['API key']!;
  return {
    ...world,
    /** Where the API is, as its client takes it. */
    api,
    /** A new key of the first team. */
    async key(kind = 'full', profiles: readonly string[] = []): Promise<string> {
      const { key } = await world.act('add_key', { team: OLIVIA, kind, profiles: profiles.join(',') });
      return key;
    },
    call: (method: string, path: string, key = first(), body?: object, headers: Record<string, string> = {}) =>
      world.ask(`${api}/v1/${path}`, jsonRequest(method, body, { ...bearer(key), ...headers })),
    /** The profiles of the first team, by their names. */
    async profiles(): Promise<Readonly<Record<string, string>>> {
      const all = await world.list('profiles');
      return Object.fromEntries(all.map(({ name, id }) => [name, id]));
    },
  };
}
