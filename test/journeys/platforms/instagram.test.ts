import { HOUR } from '#kernel/clock.ts';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FRED, instagramOf, type Login, LOGINS } from '../../harness/platforms/people/instagram.ts';
import { makeWorld, type Json } from '../../harness/world.ts';

/** An account, by Instagram login unless another is named. */
async function opened(options: Parameters<typeof makeWorld>[0] = {}, login?: Login) {
  const world = await makeWorld(options);
  const instagram = instagramOf(world);
  const { account, page } = await instagram.connect(login);
  return { world, ...instagram, publish: (input: object) => instagram.publish(account, input), account, page };
}

describe('connecting Instagram', () => {
  it('offers both logins, and a choice where one shows several accounts', async () => {
    const world = await makeWorld();
    const { consent: connect } = instagramOf(world);
    expect((await connect(0, { person: 'harbour.coffee' })).get('status')).toBe('success');
    const several = await connect(1, { person: 'olivia.sandbox.test', pages: 'Harbour Coffee,Harbour Bakery' });
    expect(several.get('status')).toBe('selection_required');
    const pending = `/v1/accounts/pending/${several.get('connection_id')}` as const;
    const choice = (await world.rest(`GET ${pending}`)).body;
    const names = choice.profiles.map(({ username }: Json) => username);
    expect(names.toSorted()).toEqual(['harbour.bakery', 'harbour.coffee']);
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
    const { world, look, publish, photo, film } = await opened({ gate });
    const image = await photo(3_000_000);
    const results = [
      await publish({ text: 'An image', media_ids: [image] }),
      await publish({ text: 'A reel', media_ids: [await film()] }),
      await publish({ text: 'Both', media_ids: [await photo(1), await film()] }),
    ];
    expect(results.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
    const fetched = ((await look('requests')) as Json[]).filter(({ verb }) => verb === 'fetch');
    expect(fetched.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(addresses.size).toBe(4);
    world.clock.move(3 * HOUR);
    const ended = await Promise.all([...addresses].map((address) => fetch(world.root + address)));
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 403));
  });
});

describe.each(LOGINS)('a post %s', (_how, login) => {
  it('invites collaborators, however their names are written', async () => {
    const { publish, photo, look } = await opened({}, login);
    const platform_data = { instagram: { collaborators: ['@anna', 'ben'] } };
    const { status } = await publish({ text: 'Rye', media_ids: [await photo()], platform_data });
    const [{ options }] = (await look('instagram/posts')) as [Json];
    expect([status, options]).toEqual(['published', { collaborators: ['anna', 'ben'] }]);
  });
});

describe.each(LOGINS)('a sync %s', (_how, login) => {
  it('takes in the 500 newest posts, and renews the addresses of their media', async () => {
    const { world, account, page, act, photo } = await opened({}, login);
    await photo();
    const [{ url }] = (await world.rest('GET /v1/media')).body.data;
    await act('own_post', { page, text: 'Loaf', picture_url: url, times: 502 });
    const sync = async () => {
      expect((await world.rest(`POST /v1/accounts/${account}/sync`)).status).toBe(200);
      const posts = new Map<string, string>();
      for (let cursor = ''; ;) {
        const { body } = await world.rest(`GET /v1/posts?limit=100&cursor=${cursor}`);
        for (const { text, results } of body.data) posts.set(text, results[0].platform_media[0].url);
        cursor = body.next_cursor;
        if (cursor === '') return posts;
      }
    };
    const first = await sync();
    expect([first.size, first.has('Loaf 502'), first.has('Loaf 2')]).toEqual([500, true, false]);
    const opens = async (address?: string) => (await fetch(address!)).status;
    expect(await opens(first.get('Loaf 3'))).toBe(200);
    world.clock.move(5 * 24 * HOUR);
    expect(await opens(first.get('Loaf 3'))).toBe(403);
    const second = await sync();
    expect(second.size).toBe(500);
    for (const text of ['Loaf 3', 'Loaf 502']) expect(await opens(second.get(text))).toBe(200);
  });
});

describe('a server that Instagram cannot reach', () => {
  it('names the setting before anything is sent', async () => {
    const world = await makeWorld({ env: { SANDBOX: 'off' } });
    const media_ids = [await instagramOf(world).photo()];
    const ask = (more: object) =>
      world.rest('POST /v1/posts/validate', { text: 'Rye', platforms: ['instagram'], ...more });
    const message = expect.stringContaining('ROOT_URL, or MEDIA_PUBLIC_URL');
    const errors = [{ platform: 'instagram', field: 'media', message }];
    expect((await ask({ media_ids })).body).toMatchObject({ valid: false, errors });
    const media = [{ source: 'https://pictures.example.org/a.jpg', source_type: 'url', type: 'image' }];
    expect((await ask({ media })).body).toMatchObject({ valid: true });
  });
});

describe('a hostile Instagram', () => {
  it('may write ids as numbers, and tokens in a list', async () => {
    const world = await makeWorld();
    const twin = instagramOf(world);
    await twin.act('settings', { numeric_ids: true, token_in_list: true });
    const end = await twin.consent(0, { person: 'harbour.coffee' });
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
    const { world, act, publish, photo } = await opened();
    const hook = await world.receive(['comment.received']);
    const post = await publish({ text: 'Rye', media_ids: [await photo()] });
    await act('settings', settings);
    const on = post.results[0].platform_post_id as string;
    await act('comment', { person: FRED, on, text: 'Is it rye?' });
    await world.settle();
    await world.pass(60_000);
    expect(hook.received.filter(({ body }) => body.event === 'comment.received')).toHaveLength(stored);
    const rows = await world.product.store.db.selectFrom('pushes').selectAll().execute();
    if (stored === 0) expect(rows).toEqual([]);
  });

  it('may fail to work on media, and says why', async () => {
    const { act, publish, film } = await opened();
    await act('settings', { container_failure: '2207026' });
    const post = await publish({ text: 'Sea', media_ids: [await film()] });
    expect(post).toMatchObject({ status: 'failed', results: [{ error: { message: expect.stringContaining('MP4') } }] });
  });

  describe.each(LOGINS)('may let a container expire (%s)', (_how, login) => {
    it.each<[what: string, files: ('photo' | 'film')[], end: 'ended' | 'of age']>([
      ['of a reel', ['film'], 'ended'],
      ['of an item', ['photo', 'film'], 'ended'],
      ['by its age', ['film'], 'of age'],
    ])('%s, and the post is published from another one, once', async (_what, files, end) => {
      const { world, account, ...instagram } = await opened({}, login);
      const { act, look } = instagram;
      await act('settings', { container_processing_ms: 2 * HOUR, container_life_ms: HOUR });
      const media_ids = await Promise.all(files.map((file) => instagram[file]()));
      const input = { text: 'Slow sea', media_ids, account_ids: [account], publish_now: true };
      const { body } = await world.rest('POST /v1/posts', input);
      expect(body.status).toBe('publishing');
      const containers = async () => (await look('instagram/containers')) as readonly Json[];
      const old = (await containers()).map(({ id }) => id);
      if (end === 'ended') await act('end_container', { container: old.at(-1), as: 'EXPIRED' });
      else world.clock.move(HOUR);
      await act('settings', { container_processing_ms: 0 });
      for (let waits = 0; waits < 5; waits += 1) await world.pass(60_000);
      const [result] = (await world.rest(`GET /v1/posts/${body.id}`)).body.results;
      expect(result.status).toBe('published');
      const published = (await containers()).filter(({ media_id }) => media_id !== undefined);
      expect(published.map(({ media_id }) => media_id)).toEqual([result.platform_post_id]);
      expect(old).not.toContain(published[0].id);
      expect(published[0].children.filter((child: string) => old.includes(child))).toEqual([]);
      const made = ((await look('instagram/posts')) as readonly Json[]).filter(({ caption }) => caption === 'Slow sea');
      expect(made.map(({ id }) => id)).toEqual([result.platform_post_id]);
    });
  });
});
