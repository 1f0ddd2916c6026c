import { MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { authorityOver } from '#kernel/authority.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { refused } from '../../harness/platforms/publishing.ts';
import { contentOf, draftFor, itIn, NOTHING, type World } from '../../harness/worlds/publishing.ts';
import type { PostQuery } from '#engine/publishing/read/post-reader.ts';

type Filter = PostQuery['filter'];

async function texts(world: World, filter: Filter, authority = world.authority): Promise<(string | null)[]> {
  const { data } = await world.posts.list(authority, { filter, limit: 100, cursor: undefined });
  return data.map(({ text }) => text);
}

describeStores('lists of posts', (stores) => {
  const it = itIn(stores);

  it('sort by time to publish or by creation, and page without gaps', async ({ world, account }) => {
    const now = world.clock.now();
    for (const [text, hours] of [
      ['b', 2],
      ['c', 3],
      ['a', 1],
      ['b2', 2],
    ] as const) {
      world.clock.move(1);
      await world.make([account], { text, scheduledAt: now + hours * HOUR });
    }
    expect(await texts(world, {})).toEqual(['a', 'b', 'b2', 'c']);
    expect(await texts(world, { sort: 'scheduled_desc' })).toEqual(['c', 'b2', 'b', 'a']);
    expect(await texts(world, { sort: 'created_asc' })).toEqual(['b', 'c', 'a', 'b2']);
    expect(await texts(world, { sort: 'created_desc', from: now + 2, to: now + 3 })).toEqual(['a', 'c']);
    const paged: (string | null)[] = [];
    let cursor: string | undefined;
    do {
      const filter = cursor === undefined ? ({ sort: 'scheduled_desc' } as const) : {};
      const page = await world.posts.list(world.authority, { filter, limit: 1, cursor });
      paged.push(...page.data.map(({ text }) => text));
      cursor = page.next_cursor || undefined;
      expect(page.pagination).toEqual({ has_more: cursor !== undefined, next_cursor: cursor ?? '', limit: 1 });
    } while (cursor !== undefined);
    expect(paged).toEqual(['c', 'b2', 'b', 'a']);
    const { posts, authority } = world;
    const invalid = { code: 'validation.field_invalid' };
    const { next_cursor: other } = await posts.list(authority, { filter: {}, limit: 1, cursor: undefined });
    const elsewhere = posts.list(authority, { filter: { platform: 'bluesky' }, limit: 1, cursor: other });
    await expect(elsewhere).rejects.toMatchObject(invalid);
    await expect(posts.logs(authority, { filter: {}, limit: 1, cursor: other })).rejects.toMatchObject(invalid);
  });

  it('filter by account, brand, platform, state, text and visibility', async ({ world, pair: [one, two] }) => {
    await world.make([one], { text: 'Grüße 100%' });
    await world.make([two], { text: 'Two', publishNow: true });
    const hidden = await world.make([one, two], { text: 'Both' });
    await world.edit(hidden, { hidden: true });
    expect(await texts(world, { account_ids: [one.id] })).toEqual(['Grüße 100%']);
    expect(await texts(world, { brand_id: two.brand_id, hidden: true })).toEqual(['Two', 'Both']);
    expect(await texts(world, { platform: 'bluesky', hidden: true })).toEqual(['Grüße 100%', 'Both']);
    expect(await texts(world, { status: ['published'] })).toEqual(['Two']);
    expect(await texts(world, { search: 'GRÜSSE' })).toEqual([]);
    expect(await texts(world, { search: 'grüße 100%' })).toEqual(['Grüße 100%']);
    expect(await texts(world, { search: '%' })).toEqual(['Grüße 100%']);
    await expect(texts(world, { account_ids: ['acc_no'] })).rejects.toMatchObject({ code: 'account.not_found' });
    await expect(texts(world, { brand_id: 'brd_no' })).rejects.toMatchObject({ code: 'brand.not_found' });
  });

  it('find a post by its id on the platform, unless several have it', async ({ world, pair: [one, two] }) => {
    const id = await world.make([one], { publishNow: true });
    const platformId = (await world.target(id)).platform_post_id!;
    expect(await world.posts.get(world.authority, platformId)).toMatchObject({ id });
    const other = await world.make([two], { publishNow: true });
    await world.store.write(({ db }) =>
      db.updateTable('targets').set({ platform_post_id: platformId }).where('post_id', '=', other).execute(),
    );
    await expect(world.posts.get(world.authority, platformId)).rejects.toMatchObject({ code: 'resource.conflict' });
    const restricted = authorityOver(world.workspace.id, { brands: [two.brand_id] });
    expect(await world.posts.get(restricted, platformId)).toMatchObject({ id: other });
  });
});

describeStores('a key of one brand', (stores) => {
  const it = itIn(stores);

  it('sees posts with a target there, and moves those that go nowhere else', async ({ world, pair }) => {
    const [own, foreign] = pair;
    const authority = authorityOver(world.workspace.id, { brands: [own.brand_id] });
    const mine = await world.make([own], { text: 'Mine' });
    const shared = await world.make([own, foreign], { text: 'Shared' });
    const theirs = await world.make([foreign], { text: 'Theirs' });
    const nobodys = await world.make([], { text: 'Nobody’s' });
    expect(await texts(world, {}, authority)).toEqual(['Mine', 'Shared']);
    expect(await texts(world, { platform: 'pinterest' }, authority)).toEqual([]);
    const { posts, workspace } = world;
    for (const id of [theirs, nobodys]) {
      await expect(posts.get(authority, id)).rejects.toMatchObject({ code: 'post.not_found' });
      await expect(posts.remove({ authority }, id, undefined)).rejects.toMatchObject({ code: 'post.not_found' });
    }
    const forbidden = { code: 'auth.insufficient_scope' };
    await expect(posts.publish({ authority, workspace }, shared)).rejects.toMatchObject(forbidden);
    await expect(posts.remove({ authority }, shared, 'bluesky')).rejects.toMatchObject(forbidden);
    const hiding = posts.update({ authority, workspace, permit: () => {} }, shared, { ...NOTHING, hidden: true });
    await expect(hiding).rejects.toMatchObject(forbidden);
    const making = (accounts: readonly { id: string }[]) =>
      posts.create(authority, workspace, draftFor(accounts, { content: contentOf('No') }));
    await expect(making([])).rejects.toMatchObject({ code: 'validation.field_required' });
    await expect(making([foreign])).rejects.toMatchObject({ code: 'account.not_found' });
    const emptied = posts.update({ authority, workspace, permit: () => {} }, mine, { ...NOTHING, targets: [] });
    await expect(emptied).rejects.toMatchObject({ code: 'validation.field_required' });
    await posts.publish({ authority, workspace }, mine);
    expect(world.net.texts()).toEqual(['Mine']);
    await world.posts.publish({ authority: world.authority, workspace }, theirs);
    const logs = await posts.logs(authority, { filter: {}, limit: 10, cursor: undefined });
    expect(logs.data.map(({ post_id }) => post_id)).toEqual([mine]);
  });
});

describeStores('the publishing log', (stores) => {
  const it = itIn(stores);

  it('lists what happened, newest first, for as many days as asked', async ({ world }) => {
    const { account, id: failed } = await world.publishInto('write', [refused]);
    world.clock.move(DAY - MINUTE);
    const fine = await world.make([account], { publishNow: true });
    world.clock.move(2 * MINUTE);
    const list = async (filter: Parameters<World['posts']['logs']>[1]['filter']) =>
      (await world.posts.logs(world.authority, { filter, limit: 50, cursor: undefined })).data;
    expect(await list({})).toMatchObject([
      { post_id: fine, action: 'publish', status: 'success', status_code: 200, attempt: 1, error_message: null },
      { post_id: failed, action: 'publish', status: 'failed', error_message: 'Not like this.' },
    ]);
    expect((await list({ days: 1 })).map(({ post_id }) => post_id)).toEqual([fine]);
    expect((await list({ postId: failed })).map(({ post_id }) => post_id)).toEqual([failed]);
    expect(await list({ status: 'skipped' })).toEqual([]);
    world.clock.move(7 * DAY);
    expect(await list({})).toEqual([]);
  });
});

describeStores('an edit', (stores) => {
  const it = itIn(stores);

  it('reports what it changed, and nothing when nothing did', async ({ world, pair: [one, two] }) => {
    const id = await world.make([one], { text: 'Old' });
    const edit = (changes: object) => world.edit(id, { ...changes });
    await edit({ content: { text: 'Old', media: [] }, targets: [{ account_id: one.id }] });
    expect(await world.eventNames()).toEqual([]);
    await edit({ content: { text: 'New', title: 'Title' }, targets: [{ account_id: two.id }], hidden: true });
    expect(await world.events()).toMatchObject([
      { name: 'post.updated', data: { changed_fields: ['text', 'title', 'targets'], status: 'draft' } },
    ]);
    const post = await edit({ content: { title: null, text: null } });
    expect(post).toMatchObject({ text: null, title: null, hidden: true, targets: [{ account_id: two.id }] });
    await expect(edit({})).rejects.toMatchObject({ code: 'validation.field_required' });
  });

  it('at the same moment as another keeps both, field by field', async ({ world }) => {
    const id = await world.make([await world.account('bluesky')], { text: 'Old' });
    const edits = [{ text: 'New' }, { title: 'Title' }, { first_comment: null, visibility: 'public' as const }];
    await Promise.all(edits.map((content) => world.edit(id, { content })));
    expect(await world.posts.get(world.authority, id)).toMatchObject({ text: 'New', title: 'Title' });
  });

  it('at the same moment as its publishing has one winner', async ({ world, account }) => {
    const id = await world.schedule([account], { text: 'Old' });
    const editing = world.edit(id, { content: { text: 'New' } }).catch(({ code }) => code);
    const [edited] = await Promise.all([editing, world.publish(id)]);
    const text = edited === 'post.state_invalid' ? 'Old' : 'New';
    expect([await world.status(id), world.net.texts()]).toEqual(['published', [text]]);
  });

  it('of a failed post publishes the new text with the retry', async ({ world }) => {
    const { id } = await world.publishInto('write', [refused], { text: 'Old' });
    await world.edit(id, { content: { text: 'New' } });
    await world.retry(id);
    expect(world.net.texts()).toEqual(['New']);
  });

  it('refuses a time of a target that has passed', async ({ world, account }) => {
    const id = await world.schedule([account]);
    const targets = [{ account_id: account.id, scheduled_at: world.clock.now() - HOUR }];
    await expect(world.edit(id, { targets })).rejects.toMatchObject({ code: 'validation.field_invalid' });
  });
});

describeStores('what is refused before anything happens', (stores) => {
  const it = itIn(stores);

  const image = { source: 'https://media.test/a.png', source_type: 'url' as const, type: 'image' as const };
  const stored = (source: string) => ({ media: [{ source, source_type: 'media_id' as const }] });
  const attached = { source: 'x', source_type: 'platform_attachment_id' as const, type: 'image' as const };
  const rows = [
    ['a media item nobody has', stored('missing'), 'media.not_found'],
    ['a media item that is not there yet', stored('pending'), 'media.not_ready'],
    ['a source the platform does not read', { media: [attached] }, 'publishing.media.unsupported_source'],
    ['images beside a video', { media: [image, { ...image, type: 'video' }] }, 'publishing.media.mixing_unsupported'],
    ['a text that is too long', { text: 'x'.repeat(101) }, 'validation.field_invalid'],
    ['an unknown visibility', { visibility: 'private' }, 'validation.field_invalid'],
  ] as const;

  it.for(rows)('%s', async ([, content, code], { world, account }) => {
    const making = world.make([account], { publishNow: true, content: { ...contentOf('Look'), ...content } });
    await expect(making).rejects.toMatchObject({ code });
    expect([await world.used(), world.net.calls]).toEqual([0, []]);
  });

  it('accounts: unknown ones, the same twice, and platforms that publish nothing or are not in the plan', async ({
    world,
  }) => {
    const [account, mute] = [await world.account('bluesky'), await world.account('telegram')];
    await expect(world.make([{ id: 'acc_no' }])).rejects.toMatchObject({ code: 'account.not_found' });
    await expect(world.make([account, account])).rejects.toMatchObject({ code: 'publishing.duplicate_target' });
    await expect(world.make([mute])).rejects.toMatchObject({ code: 'resource.not_supported' });
    const paged = { targets: [{ account_id: account.id, page_id: 'page' }] };
    await expect(world.make([], paged)).rejects.toMatchObject({ code: 'account.pages_not_supported' });
    const limited = { ...world.workspace, allowedPlatforms: ['facebook'] };
    const made = world.posts.create(world.authority, limited, draftFor([account], { content: contentOf('Bread') }));
    await expect(made).rejects.toMatchObject({ code: 'billing.platform_not_available' });
  });

  it('in a check everything is listed at once, and nothing is refused', async ({ world, account }) => {
    const check = (ask: Parameters<World['posts']['validate']>[1]) => world.posts.validate(world.authority, ask);
    const { media } = stored('missing');
    const content = { ...contentOf('x'.repeat(101)), media };
    const targets = [{ account_id: account.id }, { account_id: 'acc_no' }];
    const { valid, errors } = await check({ content, platforms: ['telegram'], targets });
    expect(valid).toBe(false);
    expect(errors.map(({ platform, field, target }) => [platform, field, target])).toEqual([
      ['unknown', 'account_id', 'acc_no'],
      ['telegram', 'platforms', undefined],
      ['bluesky', 'media', account.id],
      ['bluesky', 'text', account.id],
      ['unknown', 'media', 'acc_no'],
      ['telegram', 'media', undefined],
    ]);
    const own = { ...contentOf('Fine'), targets: [] };
    const again = await check({ content: own, platforms: [], targets: [{ account_id: account.id, media }] });
    expect(again.errors).toMatchObject([{ field: 'media', target: account.id }]);
    const everywhere = await check({ content: own, platforms: [], targets: [] });
    expect(everywhere).toEqual({ valid: true, errors: [], warnings: [] });
  });
});
