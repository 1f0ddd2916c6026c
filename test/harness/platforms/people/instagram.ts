import { jpeg, mp4 } from '../../media-samples.ts';
import type { Json, World } from '../../world.ts';

export const COFFEE = 'harbour.coffee';
export const FRED = 'fred.sandbox.test';

/** A way to log in: its place on the connect page, and who goes through it to the account of harbour.coffee. */
export const LOGINS = Object.freeze([
  ['by Instagram login', { nth: 0, who: { person: COFFEE } }],
  ['by Facebook login', { nth: 1, who: { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' } }],
] as const);
export type Login = (typeof LOGINS)[number][1];

/** Plays the people on the stand-in of instagram, looks at what it holds, and stores files to publish there. */
export function instagramOf(world: World) {
  const base = `${world.root}/sandbox/__control`;
  const look = async (path: string): Promise<Json> => ((await (await fetch(`${base}/${path}`)).json()) as Json).data;

  async function act(name: string, input: object = {}): Promise<Json> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${base}/instagram/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as Json).data.done;
  }

  /** Goes through the consent of the nth login that the page offers; what the client is told at the end. */
  async function consent(nth: number, who: object): Promise<URLSearchParams> {
    const ask = { platform: 'instagram', redirect_uri: 'https://app.example.org/done' };
    const page = await fetch((await world.rest('POST /v1/accounts/connect', ask)).body.auth_url);
    const links = [...(await page.text()).matchAll(/href="([^"]*)">Continue to/g)].map(([, link]) => link!);
    const { location } = await act('consent', { url: links[nth]!.replaceAll('&amp;', '&'), ...who });
    const headers = { Cookie: page.headers.get('set-cookie')!.split(';')[0]! };
    const back = await fetch(location, { redirect: 'manual', headers });
    return new URL(back.headers.get('location')!).searchParams;
  }

  /** Stores a file; its id. */
  async function upload(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([bytes], { type }), name);
    return (await world.rest('POST /v1/media/upload', form)).body.id;
  }

  const instagram = {
    act,
    look,
    consent,
    upload,
    photo: (size = 0) => upload('a.jpg', 'image/jpeg', Buffer.concat([jpeg(1080, 1080), Buffer.alloc(size)])),
    film: () =>
      upload('a.mp4', 'video/mp4', mp4({ ms: 6000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] })),

    /** Connects harbour.coffee by a login; our id of the account, and the stand-in's. */
    async connect({ nth, who }: Login = LOGINS[0][1]) {
      const end = await consent(nth, who);
      if (end.get('status') !== 'success') throw new Error(end.toString());
      await world.settle();
      const page = ((await look('instagram/accounts')) as readonly Json[]).find(({ username }) => username === COFFEE);
      return { account: end.get('account_id')!, page: page.id as string };
    },

    /** Publishes at once; the post when nothing about it is open any more. */
    async publish(account: string, input: object): Promise<Json> {
      const { body } = await world.rest('POST /v1/posts', { account_ids: [account], publish_now: true, ...input });
      for (let post: Json = body; ; post = (await world.rest(`GET /v1/posts/${body.id}`)).body) {
        if (post.status !== 'publishing') return post;
        await world.pass(60_000);
      }
    },
  };
  return instagram;
}
