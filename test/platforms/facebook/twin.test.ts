import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OutboundError } from '#kernel/net/outbound.ts';
import { facebook } from '#platforms/facebook/index.ts';
import type { AccountCall, PlatformRequest } from '#platforms/call.ts';
import type { Connected } from '#platforms/connect.ts';
import { PlatformError } from '#platforms/errors.ts';
import type { OpenedMedia } from '#platforms/media.ts';
import type { OutgoingPost, LookupCall, Published } from '#platforms/posts.ts';
import {
  mp4,
  OLIVIA,
  openFacebookWorld,
  png,
  REDIRECT,
  type FacebookWorld,
} from '../../harness/worlds/twins/facebook.ts';
import { makeClient, type Client } from '../../harness/worlds/bluesky.ts';
import { measured } from '../../harness/platforms/fake.ts';
import { bareCall, opened } from '../../harness/opened.ts';

/** The connector against the simulator, written by different hands from the same contract: each checks the other. */
let world: FacebookWorld;
let client: Client;
let page: string;
let connected: Connected;
beforeAll(async () => {
  world = await openFacebookWorld();
  const hosts = facebook.hosts.sandbox({ api: world.at, web: world.at });
  client = makeClient(hosts, () => world.clock.now(), [world.root]);
  connected = await connect();
  page = connected.pages![0]!.platform_page_id;
});
afterAll(async () => {
  await client.close();
  await world.close();
});
beforeEach(() => world.act('settings', { read_lag_ms: 0, list_lag_ms: 0, drafts: true, video_processing_polls: 1 }));

const oauth = facebook.connect.kind === 'oauth' ? facebook.connect : undefined!;
const app = { clientId: 'sandbox', clientSecret: 'sandbox' };

const asking = { callback: REDIRECT, client: app, metadata: {} };
/** Goes through the dialog; what the browser brings back. */
async function consented(choice: object = {}) {
  const { url, secrets } = await oauth.begin(client.bare, { ...asking, state: 's' });
  const { location } = await world.act('consent', { url, person: OLIVIA, ...choice });
  return { ...asking, secrets, params: Object.fromEntries(new URL(location).searchParams) };
}
async function connect(choice?: object): Promise<Connected> {
  const [one] = await oauth.finish(client.bare, await consented(choice));
  return one!;
}
const acting = () => client.acting(connected.session);

const PNG = opened(png(), 'image/png');
const MP4 = opened(mp4(), 'video/mp4');
/** More than one piece of an upload. */
const LONG_BYTES = mp4(4_200_000);
const LONG = opened(LONG_BYTES, 'video/mp4');
const open = async (ref: string): Promise<OpenedMedia> => (ref === 'video' ? MP4 : ref === 'long' ? LONG : PNG);
const photo = { ref: 'photo', kind: 'image' as const };
const video = { ref: 'video', kind: 'video' as const };

let count = 0;
const postOf = (post: Partial<OutgoingPost>): OutgoingPost => {
  count += 1;
  return { text: `Post ${count}`, media: [], segments: [], visibility: 'public', options: {}, page_id: page, ...post };
};

const { publish, remove, list, metrics } = facebook.posts!;

/** What happens to the n-th request: it never leaves, its answer is lost, or it is an error after the effect. */
type Mishap = Readonly<{ at: number; kind: 'unsent' | 'lost' | 'code 2' }>;

function unlucky(call: AccountCall, mishap: Mishap | undefined): { call: AccountCall; requests(): number } {
  let requests = 0;
  const http = async (request: PlatformRequest) => {
    const hit = mishap?.at === requests;
    requests += 1;
    const { host } = new URL(request.url);
    if (hit && mishap.kind === 'unsent') throw new OutboundError('timeout', host, { sent: true });
    const answer = await call.http(request);
    if (hit && mishap.kind === 'lost') throw new OutboundError('reset', host, { sent: true });
    if (!hit) return answer;
    const error = { code: 2, message: 'An unexpected error has occurred', is_transient: true };
    return { status: 500, headers: {}, body: Buffer.from(JSON.stringify({ error })) };
  };
  return { call: { ...call, http }, requests: () => requests };
}

/** Publishes as the engine does: each step until it is done, visible ones looked up after an answer that was lost. */
async function publishAll(call: AccountCall, post: OutgoingPost): Promise<Published | PlatformError> {
  const done: Record<string, unknown> = {};
  const kept = new Map<string, unknown>();
  const asked = (step: string): LookupCall => ({
    ...bareCall,
    ...call,
    post,
    open,
    done: JSON.parse(JSON.stringify(done)) as typeof done,
    kept: kept.get(step),
    keep: async (value) => void kept.set(step, JSON.parse(JSON.stringify(value))),
  });
  for (const { name, kind, optional } of publish.steps(post)) {
    let result: { made: unknown } | undefined;
    let failed: PlatformError | undefined;
    let sent = false;
    for (let tries = 0; tries < 6 && !result; tries += 1) {
      try {
        const settled = sent && kind === 'visible' ? await publish.settle!(asked(name), name) : 'absent';
        if (typeof settled === 'object') result = settled;
        else if (settled === 'absent') result = { made: await publish.run(asked(name), name) };
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        failed = error;
        if (error.kind === 'refused') break;
      }
      sent = true;
      world.clock.move(kind === 'visible' ? 120_000 : 5_000);
    }
    if (!result && !optional) return failed!;
    done[name] = result ? (result.made ?? null) : { refused: failed?.message };
  }
  return publish.finish(done, call.hosts);
}

const publicPosts = async () =>
  (await world.list('posts')).filter(({ is_published, deleted_at }) => is_published && deleted_at === undefined);

describe('connecting', () => {
  it('finds the pages, with what is known of them, and reads them again', async () => {
    const name = expect.stringContaining('Olivia');
    expect(connected.profile).toMatchObject({ name, metadata: { scopes_missing: [] } });
    expect(await (await fetch(connected.profile.profile_url!)).text()).toContain(connected.profile.name);
    expect(connected.pages!.length).toBeGreaterThan(1);
    expect(connected.pages![0]).toMatchObject({ name: 'Harbour Coffee', followers_count: expect.any(Number) });
    const again = await facebook.pages!.read(acting());
    expect(again.pages).toEqual(connected.pages);
    await facebook.pages!.subscribe!(acting(), page);
    const { subscription } = (await world.list('pages')).find(({ id }) => id === page);
    expect(subscription.fields).toContain('messages');
  });

  it('takes the pages and permissions that were granted', async () => {
    const some = { pages: page, scopes: 'pages_show_list,pages_manage_metadata' };
    const { session, pages, profile } = await connect(some);
    expect(pages!.map(({ platform_page_id }) => platform_page_id)).toEqual([page]);
    expect(profile.metadata!['scopes_missing']).toContain('pages_manage_posts');
    await facebook.pages!.subscribe!(client.acting(session), page);
    expect(await publishAll(client.acting(session), postOf({}))).toMatchObject({ reason: 'permission_denied' });
    connected = await connect();
  });

  it('says that it was declined, that there are no pages, and that the app is another', async () => {
    await expect(connect({ deny: 'true' })).rejects.toMatchObject({ reason: 'permission_denied' });
    await expect(connect({ person: 'nora.sandbox.test' })).rejects.toMatchObject({ reason: 'no_pages' });
    const back = await consented();
    const message = expect.stringContaining('FACEBOOK_CLIENT');
    for (const wrong of [{ clientSecret: 'wrong' }, { clientId: 'other' }]) {
      const finished = oauth.finish(client.bare, { ...back, client: { ...app, ...wrong } });
      await expect(finished).rejects.toMatchObject({ kind: 'refused', message });
    }
  });
});

type Case = readonly [what: string, content: Partial<OutgoingPost>, settings: Readonly<Record<string, string>>];
const KINDS: readonly Case[] = [
  ['a text', { options: { link: 'https://example.com/' } }, {}],
  ['photos', { media: [photo, photo], options: { alts: ['one'] } }, {}],
  ['a video', { media: [video], title: 'Title' }, {}],
  ['a reel', { media: [video], options: { media_type: 'reel' } }, {}],
  ['a video story', { media: [video], options: { media_type: 'stories' } }, {}],
  ['a photo story', { media: [photo], options: { media_type: 'stories' } }, {}],
  ['a text with a first comment', { first_comment: 'First!' }, {}],
  ['a text where drafts cannot be switched on', {}, { drafts: 'false' }],
  ['photos where drafts cannot be switched on', { media: [photo, photo] }, { drafts: 'false' }],
  ['a video where drafts cannot be switched on', { media: [video] }, { drafts: 'false' }],
  ['a text that is shown late', {}, { read_lag_ms: '4000', list_lag_ms: '30000' }],
  ['a reel that is shown late', { media: [video], options: { media_type: 'reel' } }, { read_lag_ms: '4000' }],
];

describe.each(KINDS)('%s', (what, content, settings) => {
  it.each(['unsent', 'lost', 'code 2'] as const)('is published once, whichever request is %s', async (kind) => {
    // No more than 30 reels are made in a day.
    world.clock.move(25 * 3_600_000);
    await world.act('settings', settings);
    const clean = unlucky(acting(), undefined);
    const first = (await publishAll(clean.call, postOf(content))) as Published;
    expect(first).not.toBeInstanceOf(PlatformError);
    const requests = clean.requests();
    for (let at = 0; at < requests; at += 1) {
      const before = new Set((await publicPosts()).map(({ id }) => id));
      const made = await publishAll(unlucky(acting(), { at, kind }).call, postOf(content));
      const fresh = (await publicPosts()).filter(({ id }) => !before.has(id));
      // A visible step whose request never left can only be called uncertain, not made.
      const isVisible = what === 'a photo story' || 'drafts' in settings;
      const unsure = isVisible && kind === 'unsent' && made instanceof PlatformError && made.kind === 'unknown';
      const comments = (await world.list('comments')).filter(({ post_id }) => post_id === fresh[0]?.id);
      // Directly published after a lost draft, a text has our mark behind it.
      const text = (fresh[0]?.message ?? '').replace(/\u200B$/, 'drafts' in settings ? '' : '?');
      const isStory = content.options?.['media_type'] === 'stories';
      const where = `request ${at} of ${requests}: ${kind}`;
      // Nor can a comment whose request never left: the post stands without it.
      const error = made instanceof PlatformError ? undefined : made.metadata!['first_comment_error'];
      const isBare = content.first_comment === undefined || (kind === 'unsent' && error !== undefined);
      expect([where, fresh.length, made instanceof Error && made.message, comments.length, text]).toEqual([
        where,
        unsure ? 0 : 1,
        unsure && expect.any(String),
        isBare ? 0 : 1,
        unsure || isStory ? '' : `Post ${count}`,
      ]);
      if (made instanceof PlatformError) continue;
      expect([where, made.platform_post_id]).toEqual([where, fresh[0].id]);
      if (!isBare) expect([where, made.metadata!['first_comment_id']]).toEqual([where, comments[0].id]);
    }
  });
});

it('lists, counts, shows and deletes what it published', async () => {
  const texts: Published[] = [];
  for (const content of [{}, { media: [photo, photo] }, { media: [{ ...video, ref: 'long' }] }])
    texts.push((await publishAll(acting(), postOf(content))) as Published);
  const ids = texts.map(({ platform_post_id: id }) => id);
  for (const { permalink } of texts) expect([permalink, (await fetch(permalink!)).status]).toEqual([permalink, 200]);
  const { posts, cursor } = await list!(acting(), { limit: 2, pageId: page });
  expect(posts.map(({ platform_post_id: id }) => id)).toEqual(ids.toReversed().slice(0, 2));
  expect(posts.map(({ media }) => media.map(({ type }) => type))).toEqual([['video'], ['image', 'image']]);
  const more = await list!(acting(), { limit: 2, cursor, pageId: page });
  expect(more.posts[0]!.platform_post_id).toBe(ids[0]);

  const counts = await metrics!(acting(), measured([...ids, `${page}_1`]));
  expect([...counts.keys()]).toEqual(ids);
  expect(counts.get(ids[0]!)).toMatchObject({ likes: 0, comments: 0, shares: 0, extra: { views: expect.any(Number) } });

  for (let i = 0; i < 2; i++) {
    for (const { platform_post_id: id, metadata } of texts) await remove!(acting(), id, metadata!);
  }
  expect((await publicPosts()).filter(({ id }) => ids.includes(id))).toEqual([]);
  const pieces = (await world.list('videos')).filter(({ file_size }) => file_size === LONG.size);
  expect(pieces.map(({ sha256 }) => sha256)).toEqual([createHash('sha256').update(LONG_BYTES).digest('hex')]);
});

it('asks for nothing that the contract does not have', async () => {
  const odd = world.sandbox.requests().filter((entry) => 'violation' in entry && entry.violation !== undefined);
  expect(odd.map(({ method, ...entry }) => [method, entry])).toEqual([]);
});

it('knows a login that was taken back, and a page whose role was lost', async () => {
  await world.act('remove_page', { person: OLIVIA, page });
  expect(await publishAll(acting(), postOf({}))).toMatchObject({ reason: 'permission_denied' });
  const { pages } = await facebook.pages!.read(acting());
  expect(pages.map(({ platform_page_id: id }) => id)).not.toContain(page);
  await oauth.revoke!(acting(), app);
  await oauth.revoke!(acting(), app);
  await expect(facebook.pages!.read(acting())).rejects.toMatchObject({ reason: 'auth' });
});
