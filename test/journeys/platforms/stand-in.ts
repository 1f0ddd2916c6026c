import type { PlatformSlug } from '../../../src/kernel/platforms.ts';
import { connectByConsent } from '../../platforms/conformance/consent.ts';
import type { Json, World } from '../../harness/world.ts';

/** Plays the people of the stand-in of a network, and looks at what it holds; `consent` is the path of its page. */
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
  async function upload(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([bytes], { type }), name);
    return (await world.rest('POST /v1/media/upload', form)).body.id;
  }
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

    /** Connects somebody by the consent page; our id of the account. */
    connect: (person: string): Promise<string> =>
      connectByConsent({ rest: world.rest, control, upload }, slug, consent, { person }),

    /** How often a call came. */
    async calls(method: string): Promise<number> {
      const journal = (await control('requests')) as readonly Json[];
      return journal.filter((one) => one.network === slug && one.method === method).length;
    },
  };
}
