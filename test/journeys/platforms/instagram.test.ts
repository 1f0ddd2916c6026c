import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { jpeg, mp4 } from '../harness/media-samples.ts';
import { makeWorld, type Json, type World } from '../harness/world.ts';

const HOUR = 3_600_000;
const FRED = 'fred.sandbox.test';

/** Stores a file; its id. */
async function upload(world: World, name: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes], { type }), name);
  return (await world.rest('POST /v1/media/upload', form)).body.id;
}
const photo = (world: World, size = 0) =>
  upload(world, 'a.jpg', 'image/jpeg', Buffer.concat([jpeg(1080, 1080), Buffer.alloc(size)]));
const film = (world: World) =>
  upload(world, 'a.mp4', 'video/mp4', mp4({ ms: 6000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] }));

/** The twin's door. */
function twinOf(world: World) {
  const base = `${world.root}/sandbox/__control`;
  const look = async (path: string): Promise<Json> => ((await (await fetch(`${base}/${path}`)).json()) as Json).data;
  async function act(name: string, input: object = {}): Promise<Json> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${base}/instagram/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as Json).data.done;
  }
  /** Goes through the consent of the nth login that the page offers; where the browser is sent in the end. */
  async function consent(auth_url: string, nth: number, who: object): Promise<URLSearchParams> {
    const page = await fetch(auth_url);
    const links = [...(await page.text()).matchAll(/href="([^"]*)">Continue to/g)].map(([, link]) => link!);
    const { location } = await act('consent', { url: links[nth]!.replaceAll('&amp;', '&'), ...who });
    const headers = { Cookie: page.headers.get('set-cookie')!.split(';')[0]! };
    const back = await fetch(location, { redirect: 'manual', headers });
    return new URL(back.headers.get('location')!).searchParams;
  }
  async function connect(nth: number, who: object): Promise<URLSearchParams> {
    const ask = { platform: 'instagram', redirect_uri: 'https://app.example.org/done' };
    return consent((await world.rest('POST /v1/accounts/connect', ask)).body.auth_url, nth, who);
  }
  return { look, act, connect };
}

/** An account of Instagram login that has published once. */
async function opened(options: Parameters<typeof makeWorld>[0] = {}) {
  const world = await makeWorld(options);
  const twin = twinOf(world);
  const account = (await twin.connect(0, { person: 'harbour.coffee' })).get('account_id')!;
  await world.settle();
  async function publish(input: object): Promise<Json> {
    const { body } = await world.rest('POST /v1/posts', { account_ids: [account], publish_now: true, ...input });
    for (let post: Json = body; ; post = (await world.rest(`GET /v1/posts/${body.id}`)).body) {
      if (post.status !== 'publishing') return post;
      await world.pass(60_000);
    }
  }
  return { world, twin, publish };
}

describe('connecting Instagram', () => {
  it('offers both logins, and a choice where one shows several accounts', async () => {
    const world = await makeWorld();
    const { connect } = twinOf(world);
    expect((await connect(0, { person: 'harbour.coffee' })).get('status')).toBe('success');
    const several = await connect(1, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee,Harbour Bakery' });
    expect(several.get('status')).toBe('selection_required');
    const pending = `/v1/accounts/pending/${several.get('connection_id')}` as const;
    const choice = (await world.rest(`GET ${pending}`)).body;
    expect(choice.profiles.map(({ username }: Json) => username).toSorted()).toEqual([
      'harbour.bakery',
      'harbour.coffee',
    ]);
    const bakery = choice.profiles.find(({ username }: Json) => username === 'harbour.bakery');
    const chosen = await world.rest(`POST ${pending}/select`, { platform_account_id: bakery.platform_account_id });
    expect(chosen).toMatchObject({ status: 201, body: { username: 'harbour.bakery' } });
    const none = await connect(1, { person: 'nora.sandbox.test' });
    expect(none.get('error')).toBe('platform.instagram.no_pages');
  });
});

describe('publishing to Instagram', () => {
  it('has it fetch an image of 3 MB, a reel and a mixed carousel from signed addresses, which end', async () => {
    const addresses = new Set<string>();
    const gate = (req: IncomingMessage, _res: unknown, pass: () => void) => {
      if (req.url!.startsWith('/media/')) addresses.add(req.url!);
      pass();
    };
    const { world, twin, publish } = await opened({ gate });
    const image = await photo(world, 3_000_000);
    const results = [
      await publish({ text: 'An image', media_ids: [image] }),
      await publish({ text: 'A reel', media_ids: [await film(world)] }),
      await publish({ text: 'Both', media_ids: [await photo(world, 1), await film(world)] }),
    ];
    expect(results.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
    const fetched = ((await twin.look('requests')) as Json[]).filter(({ verb }) => verb === 'fetch');
    expect(fetched.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(addresses.size).toBe(4);
    world.clock.move(3 * HOUR);
    const ended = await Promise.all([...addresses].map((address) => fetch(world.root + address)));
    expect(ended.some(({ ok }) => ok)).toBe(false);
  });
});

describe('a server that Instagram cannot reach', () => {
  it('names the setting before anything is sent', async () => {
    const world = await makeWorld({ env: { SANDBOX: 'off' } });
    const media_ids = [await photo(world)];
    const ask = (more: object) =>
      world.rest('POST /v1/posts/validate', { text: 'Rye', platforms: ['instagram'], ...more });
    expect((await ask({ media_ids })).body).toMatchObject({
      valid: false,
      errors: [
        {
          platform: 'instagram',
          field: 'media',
          message: expect.stringContaining('ROOT_URL, or MEDIA_PUBLIC_URL'),
        },
      ],
    });
    const media = [{ source: 'https://pictures.example.org/a.jpg', source_type: 'url', type: 'image' }];
    expect((await ask({ media })).body).toMatchObject({ valid: true });
  });
});

describe('a hostile Instagram', () => {
  it('may write ids as numbers, and tokens in a list', async () => {
    const world = await makeWorld();
    const twin = twinOf(world);
    await twin.act('settings', { numeric_ids: true, token_in_list: true });
    const end = await twin.connect(0, { person: 'harbour.coffee' });
    if (end.get('status') !== 'success') throw new Error(end.toString());
    const rows = await world.product.store.db.selectFrom('accounts').select('platform_user_id').execute();
    const [known] = (await twin.look('instagram/accounts')) as Json[];
    expect(rows).toEqual([{ platform_user_id: known.id }]);
  });

  it.each([
    ['flat', { push_flat: true }, 1],
    ['in a list', { push_wrap: true }, 1],
    ['with the other name of an id', { push_comment_id: true }, 1],
    ['with ids as numbers', { numeric_ids: true }, 1],
    ['twice', { push_duplicate: true }, 1],
    ['with a wrong signature', { push_wrong_signature: true }, 0],
  ])('may push what happens %s', async (_how, settings, stored) => {
    const { world, twin, publish } = await opened();
    const hook = await world.receive(['comment.received']);
    const post = await publish({ text: 'Rye', media_ids: [await photo(world)] });
    await twin.act('settings', settings);
    const on = post.results[0].platform_post_id as string;
    await twin.act('comment', { person: FRED, on, text: 'Is it rye?' });
    await world.settle();
    await world.pass(60_000);
    expect(hook.received.filter(({ body }) => body.event === 'comment.received')).toHaveLength(stored);
    const rows = await world.product.store.db.selectFrom('pushes').selectAll().execute();
    if (stored === 0) expect(rows).toEqual([]);
  });

  it('may fail to work on media, and says why', async () => {
    const { world, twin, publish } = await opened();
    await twin.act('settings', { container_failure: '2207026' });
    const post = await publish({ text: 'Sea', media_ids: [await film(world)] });
    expect(post).toMatchObject({ status: 'failed', results: [{ error: { message: expect.stringContaining('MP4') } }] });
  });
});
