import { store } from '../../calls/rest.ts';
import { jpeg, mp4 } from '../../media-samples.ts';
import type { Json, World } from '../../world.ts';
import { askControl, doorOf, openConnectPage } from '../../calls/stand-ins.ts';

export const COFFEE = 'harbour.coffee';
export const FRED = 'fred.sandbox.test';

/** A way to log in: its place on the connect page, and who goes through it to the account of harbour.coffee. */
export const LOGINS = Object.freeze([
  ['by Instagram login', { nth: 0, who: { person: COFFEE } }],
  ['by Facebook login', { nth: 1, who: { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' } }],
] as const);
export type Login = (typeof LOGINS)[number][1];

/** Plays the people on the simulator of instagram, looks at what it holds, and stores files to publish there. */
export function instagramOf(world: World) {
  const { act } = doorOf(world, 'instagram');
  const look = (path: string): Promise<Json> => askControl(`${world.root}/sandbox`, path);

  /** Goes through the consent of the nth login that the page offers; what the client is told at the end. */
  async function consent(nth: number, who: object): Promise<URLSearchParams> {
    const ask = { platform: 'instagram', redirect_uri: 'https://app.example.org/done' };
    const begun = await world.rest('POST /v1/accounts/connect', ask);
    const { consents, back } = await openConnectPage(begun.body.auth_url);
    const { location } = await act('consent', { url: consents[nth], ...who });
    return back(location);
  }

  /** Stores a file; its id. */
  const upload = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
    (await store(world, name, type, bytes)).id;

  const instagram = {
    act,
    look,
    consent,
    upload,
    photo: (size = 0) =>
      upload('a.jpg', 'image/jpeg', Buffer.concat([jpeg(1080, 1080), Buffer.alloc(size), Buffer.from('ffd9', 'hex')])),
    film: () =>
      upload('a.mp4', 'video/mp4', mp4({ ms: 6000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] })),

    /** Connects harbour.coffee by a login; our id of the account, and the simulator's. */
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
