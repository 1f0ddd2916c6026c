import { MINUTE, HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { jpeg, mp4, png } from '../../harness/media-samples.ts';
import { heardBy, list, openThread, postNow as postIn, publish, read, sync } from '../../harness/calls/rest.ts';
import { openConnectPage } from '../../harness/calls/stand-ins.ts';
import { it, type Json, type World } from '../../harness/world.ts';
import { enlarged, FRED, MIA, OLIVIA, SAM, standInOf } from './stand-in.ts';

const PIA = 'pia.sandbox.test';

const film = mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });

async function sceneIn(world: World, login: 'tiktok' | 'business', person = OLIVIA) {
  const tiktok = standInOf(world, 'tiktok', '/v2/auth/authorize/');
  await tiktok.act('settings', { processing_ms: '0', moderation_ms: '0' });
  const account = await tiktok.connect(person, login);
  await world.settle();
  const post = async (input: object = {}, bytes: Uint8Array<ArrayBuffer> = film): Promise<Json> => {
    const media_ids = [await tiktok.upload('a.mp4', 'video/mp4', bytes)];
    return (await publish(world, account, { text: 'How we bake', media_ids, ...input })).body;
  };
  return { tiktok, account, post, postNow: (id: string) => postIn(world, id) };
}

describe('a post whose id comes late', () => {
  it('keeps its comments and metrics when the id is pushed an hour later', async ({ world }) => {
    const { tiktok, post, postNow } = await sceneIn(world, 'tiktok');
    await tiktok.act('settings', { moderation_ms: String(HOUR) });
    const made = await post();
    expect(made.status).toBe('published');
    const [before] = made.results;
    expect([before.platform_post_id, before.permalink]).toEqual([before.metadata.publish_id, null]);
    await world.pass(HOUR + MINUTE);
    const [after] = (await postNow(made.id)).results;
    expect(after.platform_post_id).toMatch(/^\d+$/);
    expect(after.permalink).toContain(`/@${OLIVIA}/video/${after.platform_post_id}`);
    await tiktok.act('like', { person: FRED, post: after.platform_post_id });
    // The post was measured by itself by now, and what is fresh is not asked for again.
    await world.pass(5 * MINUTE);
    expect((await read(world, `/v1/posts/${made.id}/metrics`)).data.targets[0].metrics).toMatchObject({ likes: 1 });
    // A sync finds the same post, and no other.
    await sync(world, after.account_id);
    expect(await list(world, '/v1/posts')).toHaveLength(1);
    await world.pass(30 * HOUR);
    expect((await postNow(made.id)).results[0].platform_post_id).toBe(after.platform_post_id);
  });

  it('is published without one where only the creator sees it', async ({ world }) => {
    const { post, postNow } = await sceneIn(world, 'tiktok');
    const made = await post({ visibility: 'private' });
    expect(made).toMatchObject({ status: 'published', results: [{ permalink: null }] });
    await world.pass(30 * HOUR);
    const [target] = (await postNow(made.id)).results;
    expect(target.platform_post_id).toBe(target.metadata.publish_id);
  });
});

it('an account shows its counts', async ({ world }) => {
  await sceneIn(world, 'tiktok');
  const counts = { follower_count: 0, following_count: 0, likes_count: 0, video_count: 0 };
  expect(await list(world, '/v1/accounts')).toMatchObject([{ metadata: counts }]);
});

it('a login proves by a challenge in hex that its code comes back to this machine', async ({ world }) => {
  const { body } = await world.rest('POST /v1/accounts/connect', { platform: 'tiktok' });
  const { consents } = await openConnectPage(body.auth_url);
  const page = new URL(consents[0]!);
  expect(page.searchParams.get('code_challenge')).toMatch(/^[\da-f]{64}$/);
  expect((await fetch(page)).status).toBe(200);
  page.searchParams.delete('code_challenge');
  expect((await fetch(page)).status).toBe(400);
});

describe('what a creator may publish', () => {
  it('is asked for, and a post that asks for more is refused', async ({ world }) => {
    const { account, post } = await sceneIn(world, 'tiktok', PIA);
    expect(await read(world, `/v1/accounts/${account}/creator-info`)).toMatchObject({
      platform: 'tiktok',
      can_post: true,
      max_video_duration_sec: 60,
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      interaction_settings: { comment_disabled: false, duet_disabled: true, stitch_disabled: true },
    });
    const open = await post();
    expect(open.results[0].error.message).toContain('MUTUAL_FOLLOW_FRIENDS');
    expect((await post({ visibility: 'connections_only' })).status).toBe('published');
  });

  it('is less while the app is not audited, and a draft goes to the inbox', async ({ world }) => {
    const { tiktok, post } = await sceneIn(world, 'tiktok');
    await tiktok.act('settings', { unaudited: 'true' });
    expect((await post()).results[0].error).toMatchObject({ code: 'platform.tiktok.permission_denied' });
    expect((await post({ visibility: 'private' })).status).toBe('published');
    const draft = await post({ platform_data: { tiktok: { draft: true } } });
    expect(draft).toMatchObject({ status: 'published', results: [{ metadata: { draft: true } }] });
  });
});

it('is told of a post without media before it is published, or as its outcome', async ({ world }) => {
  const { account } = await sceneIn(world, 'tiktok');
  const bare = (more: object) => publish(world, account, { text: 'Words alone', ...more });
  const { status, body } = await bare({});
  expect([status, body.error.code, body.error.meta.field]).toEqual([400, 'platform.tiktok.media_required', 'media']);
  expect(await list(world, '/v1/posts')).toEqual([]);
  const tried = await bare({ skip_validation: true });
  expect([tried.status, tried.body.results[0].error_code]).toEqual([422, 'platform.tiktok.media_required']);
});

describe('an upload', () => {
  it('goes up in chunks whose sizes TikTok takes', async ({ world }) => {
    const { tiktok, post } = await sceneIn(world, 'tiktok');
    expect((await post({}, enlarged(film, 17))).status).toBe('published');
    expect(await tiktok.calls('PUT /video/')).toBe(2);
  });

  it('of photos is fetched from our own address', async ({ world }) => {
    const { tiktok, post } = await sceneIn(world, 'tiktok');
    const photos = [jpeg(720, 1280), jpeg(720, 1281)].map((bytes) => tiktok.upload('a.jpg', 'image/jpeg', bytes));
    expect((await post({ title: 'Bread', media_ids: await Promise.all(photos) })).status).toBe('published');
    const [shown] = await tiktok.look('posts');
    expect(shown!.about).toMatchObject({ kind: 'photo', title: 'Bread', text: 'How we bake' });
    const png_ids = [await tiktok.upload('a.png', 'image/png', png())];
    const ask = { text: 'a', media_ids: png_ids, platforms: ['tiktok'] };
    const checked = await world.rest('POST /v1/posts/validate', ask);
    const message = expect.stringMatching(/^will be converted to JPEG/);
    expect(checked.body.warnings).toMatchObject([{ platform: 'tiktok', field: 'media.0', message }]);
  });
});

describe('the API for Business', () => {
  it('takes an access token, and knows whose it is', async ({ world }) => {
    const { tiktok } = await sceneIn(world, 'tiktok');
    const { access_token: apikey } = await tiktok.act('api_key', { creator: SAM });
    const connect = (metadata: object) => world.rest('POST /v1/accounts/connect', { platform: 'tiktok', metadata });
    const made = await connect({ apikey });
    expect([made.status, made.body.username]).toEqual([201, SAM]);
    expect((await connect({ apikey: 'nonsense-nonsense' })).body.error.code).toBe('platform.tiktok.auth');
    const half = await connect({ apikey, refresh_token: 'x' });
    expect(half.body.error.code).toBe('platform.tiktok.invalid_request');
  });

  it('delivers ten messages within 48 hours, and images of either side', async ({ world }) => {
    const { tiktok, account } = await sceneIn(world, 'business');
    await tiktok.does('write', { person: FRED, account: OLIVIA, text: 'Are you open?' });
    const [thread] = (await list(world, `/v1/inbox/conversations?account_id=${account}`)) as readonly [Json];
    expect(thread.participant_name).not.toBe('');
    const { say, messages } = await openThread(world);
    const source = await tiktok.upload('a.png', 'image/png', png());
    const attachments = [{ source, source_type: 'media_id', type: 'image' }];
    expect((await say({ text: 'Look', attachments })).status).toBe(200);
    const quick_replies = [{ title: 'Yes' }, { title: 'No', payload: 'NO' }];
    const { status, body } = await say({ text: 'Come by?', quick_replies });
    expect(status).toBe(200);
    await tiktok.does('press', { message: body.message_id, button: 'No' });
    expect(await messages()).toContainEqual(
      expect.objectContaining({ text: 'No', metadata: { quick_reply: { payload: 'NO' } }, direction: 'incoming' }),
    );
    for (let sent = 0; sent < 10; sent += 1) expect((await say({ text: `Bread ${sent}` })).status).toBe(200);
    expect((await say({ text: 'One too many' })).body.error.code).toBe('platform.tiktok.not_deliverable');
    await tiktok.does('write', { person: FRED, account: OLIVIA, text: 'Still there' });
    await world.pass(49 * HOUR);
    expect((await say({ text: 'Too late' })).body.error.code).toBe('platform.tiktok.not_deliverable');
  });

  it('shows, hides and likes comments, and deletes its own alone', async ({ world }) => {
    const { tiktok, post } = await sceneIn(world, 'business');
    const made = await post();
    await tiktok.does('comment', { person: FRED, post: made.results[0].platform_post_id, text: 'Is it rye?' });
    const comments = () => list(world, `/v1/inbox/comments/${made.id}`);
    const [theirs] = await comments();
    expect(theirs).toMatchObject({ text: 'Is it rye?', capabilities: { can_delete: false, can_hide: true } });
    const at = `/v1/inbox/comments/${made.id}/${theirs!.id}` as const;
    expect((await world.rest(`POST ${at}/hide`)).status).toBe(200);
    expect((await comments())[0]).toMatchObject({ is_hidden: true });
    expect((await world.rest(`POST ${at}/like`)).status).toBe(200);
    expect((await world.rest(`DELETE ${at}`)).status).toBeGreaterThanOrEqual(400);
    await world.rest(`POST /v1/inbox/comments/${made.id}`, { text: 'Wheat' });
    const ours = (await comments()).find(({ text }) => text === 'Wheat')!;
    expect((await world.rest(`DELETE /v1/inbox/comments/${made.id}/${ours.id}`)).status).toBe(200);
  });

  it('reads what pushes leave out of mentions and of replies', async ({ world }) => {
    const heard = heardBy(await world.receive(['mention.received', 'comment.received']));
    const { tiktok, post } = await sceneIn(world, 'business');
    const { platform_post_id } = (await post()).results[0];
    await tiktok.does('mention', { person: FRED, account: OLIVIA, text: 'I was there' });
    await tiktok.does('mention', { person: FRED, account: OLIVIA, text: 'So was I', post: platform_post_id });
    const { id: comment } = await tiktok.does('comment', { person: FRED, post: platform_post_id, text: 'Is it rye?' });
    await tiktok.does('reply', { person: MIA, comment, text: 'It is' });
    const said = (event: string) => heard(event).map(({ data: { content, author } }) => [content.text, author.name]);
    expect(said('mention.received')).toEqual([
      [expect.stringContaining('I was there'), FRED],
      [expect.stringContaining('So was I'), FRED],
    ]);
    expect(said('comment.received').at(-1)).toEqual(['It is', expect.stringContaining('Mia')]);
  });

  it('takes videos from three seconds on, and a cover where TikTok reads it', async ({ world }) => {
    const { tiktok, post } = await sceneIn(world, 'business');
    const brief = await post({}, mp4({ ms: 2000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] }));
    expect(JSON.stringify(brief)).toContain('3 seconds');
    await post({ platform_data: { tiktok: { video_cover_timestamp_ms: 1500 } } });
    const [made] = await tiktok.look('posts');
    expect(made!.about.more).toMatchObject({ thumbnail_offset: 1500 });
  });
});
