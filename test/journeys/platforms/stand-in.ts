import type { PlatformSlug } from '#kernel/platforms.ts';
import { connectByConsent } from '../../platforms/conformance/consent.ts';
import { store } from '../../harness/calls/rest.ts';
import type { Json, World } from '../../harness/world.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const MIA = 'mia.sandbox.test';
export const NORA = 'nora.sandbox.test';

/** A film of so many MiB. */
export function enlarged(film: Buffer, size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size * 1024 * 1024);
  film.copy(bytes);
  // What remains is a box that players skip.
  bytes.writeUInt32BE(bytes.length - film.length, film.length);
  bytes.write('free', film.length + 4, 'latin1');
  return bytes;
}

/** Plays the people of the simulator of a network, and looks at what it holds; `consent` is the path of its page. */
export function standInOf(world: World, slug: PlatformSlug, consent: string) {
  const base = `${world.root}/sandbox/__control`;
  async function control(path: string, body?: object): Promise<Json> {
    const headers = { 'Content-Type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${base}/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: Json };
    return data?.done ?? data;
  }
  const upload = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
    (await store(world, name, type, bytes)).id;
  const act = (name: string, input: object = {}): Promise<Json> => control(`${slug}/${name}`, input);
  const look = (name: string): Promise<readonly Json[]> => control(`${slug}/${name}`);

  return {
    act,
    look,
    upload,

    /** Something is done, and what follows of it has been done. */
    async does(name: string, input: object = {}): Promise<Json> {
      const done = await act(name, input);
      await world.settle();
      return done;
    },

    /** Connects somebody by the consent page, by one of several logins and for a brand; our id of the account. */
    connect: (person: string, login?: string, brand?: string): Promise<string> =>
      connectByConsent({ rest: world.rest, control, upload }, slug, consent, {
        person,
        ...(login && { login }),
        ...(brand && { brand }),
      }),

    /** How often a call came. */
    async calls(method: string): Promise<number> {
      const journal = (await control('requests')) as readonly Json[];
      return journal.filter((one) => one.network === slug && one.method === method).length;
    },
  };
}
