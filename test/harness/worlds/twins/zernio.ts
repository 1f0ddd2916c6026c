import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import type { Reply } from './bluesky.ts';
import { openTwinWorld, type TwinWorld } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';

export type ZernioWorld = TwinWorld &
  Readonly<{
    /** Where the API is, as its client takes it. */
    api: string;
    /** A new key of the first team. */
    key(kind?: string, profiles?: readonly string[]): Promise<string>;
    call(verb: string, path: string, key?: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
    /** The profiles of the first team, by their names. */
    profiles(): Promise<Readonly<Record<string, string>>>;
  }>;

/** The twin of Zernio; calls without a key are those of the first team. */
export async function openZernioWorld(options: Partial<SandboxOptions> = {}): Promise<ZernioWorld> {
  const world = await openTwinWorld('zernio', options);
  const api = `${world.at}/api`;
  const first = () => world.sandbox.people().find(({ handle }) => handle === OLIVIA)!.credentials['API key']!;
  return {
    ...world,
    api,
    async key(kind = 'full', profiles = []) {
      const { key } = await world.act('add_key', { team: OLIVIA, kind, profiles: profiles.join(',') });
      return key;
    },
    call(method, path, key = first(), body, headers = {}) {
      const all = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers };
      return world.ask(`${api}/v1/${path}`, { method, headers: all, ...(body && { body: JSON.stringify(body) }) });
    },
    async profiles() {
      const all = await world.list('profiles');
      return Object.fromEntries(all.map(({ name, id }) => [name, id]));
    },
  };
}
