import { describe, expect, it } from 'vitest';
import type { OAuthConnect } from '#platforms/connect.ts';
import { SCOPES } from '#platforms/threads/accounts/connect.ts';
import { threads } from '#platforms/threads/index.ts';
import { measured } from '../../harness/platforms/fake.ts';
import { readOn } from '../../harness/platforms/reading.ts';
import { answer, NOW, ok, type Asked, type Script } from '../../harness/platforms/script.ts';
import { refusal } from '../../harness/platforms/facebook-samples.ts';
import { iso, publish, SESSION, threadsOf, willing } from '../../harness/platforms/threads-samples.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const connect = threads.connect as OAuthConnect;
const client = { clientId: 'id', clientSecret: 's' };
const { check } = threads.posts!;
const comments = threads.comments!;
const post = '10';

describe('connecting', () => {
  const LONG = ok({ access_token: 'LONG', token_type: 'bearer', expires_in: 5_183_944 });
  const ME = ok({
    id: '17841405793187218',
    username: 'mia',
    name: 'Mia',
    threads_biography: 'Bakes',
    threads_profile_picture_url: 'https://cdn.test/mia.jpg',
    is_verified: true,
  });
  const WILLING: Script = {
    'POST /oauth/access_token': answer(200, '{"access_token":"BRIEF","user_id":17841405793187219}'),
    'GET /access_token': LONG,
    'GET /me': ME,
    'GET /debug_token': ok({ data: { is_valid: true, scopes: SCOPES.byDefault.slice(1) } }),
  };

  async function finish(script: Script) {
    const { bare, asked } = threadsOf(script);
    const back = { params: { code: 'C' }, secrets: {}, callback: 'https://us.example/cb', client, metadata: {} };
    const connected = await connect.finish(bare, back);
    return { connected, asked };
  }

  it('asks for every right, separated by commas', async () => {
    const ask = { state: 'st', callback: 'https://us.example/cb', client, metadata: {} };
    const { url } = await connect.begin(threadsOf({}).bare, ask);
    expect(url).toMatch(/^https:\/\/threads\.com\/oauth\/authorize\?/);
    expect(new URL(url).searchParams.get('scope')).toBe(SCOPES.byDefault.join(','));
  });

  it('makes an account of the profile, by the id that is a text', async () => {
    const { connected, asked } = await finish(WILLING);
    expect(asked[0]!.form).toMatchObject({ grant_type: 'authorization_code', code: 'C', client_secret: 's' });
    expect(connected).toMatchObject([
      {
        profile: {
          platform_user_id: '17841405793187218',
          username: 'mia',
          name: 'Mia',
          bio: 'Bakes',
          profile_url: 'https://threads.com/@mia',
          metadata: { scopes_missing: ['threads_basic'], is_verified: true },
        },
        session: { token: 'LONG', user_id: '17841405793187218', issued_at: NOW },
        expiresAt: NOW + 5_183_944_000,
      },
    ]);
  });

  it('does without the list of its rights', async () => {
    const { connected } = await finish({ ...WILLING, 'GET /debug_token': refusal(100) });
    expect(connected[0]!.profile.metadata).toEqual({ is_verified: true });
  });

  it('renews a token that is a day old, and ends the grant', async () => {
    const { acting, calls } = threadsOf({
      'GET /refresh_access_token': ok({ access_token: 'NEXT', expires_in: 5_183_944 }),
      'DELETE /me/permissions': refusal(190, 463),
    });
    const renewed = await connect.refresh!(acting, client);
    const session = { ...SESSION, token: 'NEXT', issued_at: NOW };
    expect(renewed).toEqual({ session, expiresAt: NOW + 5_183_944_000 });
    await connect.revoke!(acting, client);
    expect(calls()).toEqual(['GET /refresh_access_token', 'DELETE /me/permissions']);
  });
});

describe('limits', () => {
  const posts = { quota_usage: 4, config: { quota_total: 250 } };
  const replies = { reply_quota_usage: 1001, reply_config: { quota_total: 1000 } };
  const read = (reply: unknown) =>
    threads.limits!(threadsOf({ 'GET /1/threads_publishing_limit': reply as never }).acting);

  it('are what is left of each quota', async () => {
    const left = { posts_remaining: 246, replies_remaining: 0 };
    expect(await read(ok({ data: [{ ...posts, ...replies }] }))).toEqual(left);
    await expect(read(ok({ data: [] }))).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('are those of posts alone for a login that may not reply', async () => {
    expect(await read([refusal(10), ok({ data: [posts] })])).toEqual({ posts_remaining: 246 });
  });
});

describe('a post', () => {
  const image = (ref: string) => ({ ref, kind: 'image' }) as const;
  const video = { ref: 'v', kind: 'video' } as const;
  const containersOf = (asked: readonly Asked[]) =>
    asked.filter(({ call }) => call === 'POST /1/threads').map(({ form }) => form);

  it('of text is one container, with its options', async () => {
    const options = { reply_control: 'mentioned_only', topic_tag: 'bread', allowlisted_country_codes: ['DE', 'AT'] };
    const { asked, published } = await publish(willing(), postOf({ text: 'Rye', options }));
    expect(asked[0]!.form).toEqual({
      media_type: 'TEXT',
      text: 'Rye',
      reply_control: 'mentioned_only',
      topic_tag: 'bread',
      allowlisted_country_codes: 'DE,AT',
    });
    expect(published).toEqual({
      platform_post_id: 'm1',
      permalink: 'https://threads.net/m1',
      segments: [{ platform_post_id: 'm1', permalink: 'https://threads.net/m1' }],
      metadata: { ids: ['m1'] },
    });
  });

  it('of several items is a carousel, with a text for each that has one', async () => {
    const album = postOf({ text: 'Rye', media: [image('a'), video], options: { alts: [null, 'Kneading'] } });
    const { asked } = await publish(willing(), album);
    expect(containersOf(asked)).toEqual([
      { media_type: 'IMAGE', image_url: 'https://us.example/a', is_carousel_item: 'true' },
      { media_type: 'VIDEO', video_url: 'https://us.example/v', alt_text: 'Kneading', is_carousel_item: 'true' },
      { media_type: 'CAROUSEL', children: 'c1,c2', text: 'Rye' },
    ]);
  });

  it('with segments is a chain of answers, and the first comment answers the first of them', async () => {
    const segments = [
      { text: 'Two', media: [] },
      { text: '', media: [image('b')] },
    ];
    const chain = postOf({ text: 'One', segments, first_comment: 'Ask me', options: { alts: ['B'] } });
    const { asked, published, calls } = await publish(willing(), chain);
    expect(containersOf(asked)).toEqual([
      { media_type: 'TEXT', text: 'One' },
      { media_type: 'TEXT', text: 'Two', reply_to_id: 'm1' },
      { media_type: 'IMAGE', image_url: 'https://us.example/b', alt_text: 'B', reply_to_id: 'm2' },
      { media_type: 'TEXT', text: 'Ask me', reply_to_id: 'm1' },
    ]);
    expect(published.metadata).toEqual({ ids: ['m1', 'm2', 'm3'], first_comment_id: 'm4' });
    expect(calls().some((call) => call.includes('auto_publish'))).toBe(false);
  });

  it('says why its first comment failed, and of an unnamed thread what is known', () => {
    const finish = (done: object) => threads.posts!.publish.finish({ ...done }, threads.hosts.real).metadata;
    const named = { 'publish.0': { id: 'm1', from: NOW }, 'named.0': { id: 'm1' } };
    expect(finish({ ...named, comment: { refused: 'no' } })).toEqual({ ids: ['m1'], first_comment_error: 'no' });
    expect(finish({ ...named, 'publish.1': { id: 'm2', from: NOW } })).toEqual({ ids: ['m1', 'm2'] });
    expect(() => finish({ 'publish.0': { from: NOW } })).toThrow(/answer was lost is unknown/);
  });

  it('whose answer got lost is found among the newest by its text, an answer also by what it answers', async () => {
    const listed = (id: string, text: string, more: object = {}) => ({ id, text, timestamp: iso(NOW), ...more });
    const { done } = await publish(
      willing({
        'GET /c1': [ok({ status: 'FINISHED' }), ok({ status: 'PUBLISHED' })].reverse(),
        'GET /c2': ok({ status: 'PUBLISHED' }),
        'GET /1/threads': ok({ data: [listed('x', 'Other'), listed('m1', 'One', { permalink: 'p' })] }),
        'GET /1/replies': ok({
          data: [listed('y', 'Two', { replied_to: { id: 'z' } }), listed('m2', 'Two', { replied_to: { id: 'm1' } })],
        }),
      }),
      postOf({ text: 'One', segments: [{ text: 'Two', media: [] }] }),
    );
    expect(done).toMatchObject({ 'named.0': { id: 'm1', permalink: 'p' }, 'named.1': { id: 'm2' } });
  });

  it('fails where a file cannot be used, and is tried anew where that may pass', async () => {
    const failed = (error_message: string) =>
      publish(willing({ 'GET /c1': ok({ status: 'ERROR', error_message }) }), postOf({ media: [video] }));
    const details = { code: 'INVALID_FRAME_RATE', message: 'INVALID_FRAME_RATE' };
    await expect(failed('INVALID_FRAME_RATE')).rejects.toMatchObject({ kind: 'refused', details });
    const { asked } = await failed('FAILED_DOWNLOADING_VIDEO');
    expect(containersOf(asked)).toHaveLength(2);
  });

  it('is checked before anything is sent', async () => {
    await expect(publish({}, postOf({ text: ' ' }))).rejects.toMatchObject({ reason: 'invalid_request' });
    const many = Array.from({ length: 21 }, () => image('a'));
    await expect(publish({}, postOf({ media: many }))).rejects.toMatchObject({ reason: 'invalid_request' });
    await expect(publish({}, postOf({ text: 'a', options: { topic_tag: 'a.b' } }))).rejects.toThrow(/topic_tag/);
  });

  it('is deleted with all its parts, the last one first', async () => {
    const { acting, calls } = threadsOf({
      'DELETE /m1': ok({ success: true, deleted_id: 'm1' }),
      'DELETE /m2': refusal(24, 4279009),
      'DELETE /m3': ok({ success: true }),
    });
    await threads.posts!.remove!(acting, 'm1', { ids: ['m1', 'm2'], first_comment_id: 'm3' });
    expect(calls()).toEqual(['DELETE /m3', 'DELETE /m2', 'DELETE /m1']);
  });

  it.each([
    [
      { text: 'a', options: { link_attachment: 'https://a.example' }, media: [image('a')] },
      /cannot be combined with media/,
    ],
    [{ text: 'a', options: { link_attachment: 'ftp://a.example' } }, /http or https/],
    [{ text: 'a', options: { reply_control: 'nobody' } }, /must be one of/],
    [{ text: 'a', options: { allowlisted_country_codes: ['de'] } }, /country codes/],
    [{ segments: [{ text: 'b', media: [] }] }, /is empty/],
    [{ media: [{ ref: 'a', kind: 'video' as const, width: 1100, height: 100 }] }, /10:1/],
    [
      { text: 'a', segments: [{ text: '', media: [{ ref: 'a', kind: 'video' as const, width: 1, height: 11 }] }] },
      /10:1/,
    ],
  ])('is refused for %j', (wrong, message) => {
    expect(check!(postOf(wrong)).map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
  });

  it.each(['everyone', 'accounts_you_follow', 'mentioned_only', 'parent_post_author_only', 'followers_only'])(
    'may be answered by %s',
    (reply_control) => {
      expect(check!(postOf({ text: 'a', options: { reply_control } }))).toEqual([]);
    },
  );

  it('counts the link of its card once', () => {
    const text = Array.from({ length: 5 }, (_, n) => `https://a.example/${n}`).join(' ');
    const issues = (link_attachment: string) => check!(postOf({ text, options: { link_attachment } }));
    expect(issues('https://a.example/0')).toEqual([]);
    expect(issues('https://a.example/5')).toHaveLength(1);
  });
});

describe('reading', () => {
  const listed = { id: post, text: 'Rye', username: 'mia', timestamp: iso(NOW), permalink: 'p' };

  it('lists own posts with their files, without what was only shared again', async () => {
    const children = [
      { media_type: 'VIDEO', media_url: 'v' },
      { media_type: 'AUDIO', media_url: 'a' },
    ];
    const { acting, asked } = threadsOf({
      'GET /1/threads': ok({
        data: [
          { ...listed, media_type: 'IMAGE', media_url: 'i' },
          { ...listed, media_type: 'CAROUSEL_ALBUM', children: { data: children } },
          { ...listed, media_type: 'REPOST_FACADE' },
        ],
        paging: { cursors: { after: 'A' }, next: 'https://x' },
      }),
    });
    const { posts, cursor } = await threads.posts!.list!(acting, { limit: 500, cursor: 'B' });
    expect(asked[0]!.query).toMatchObject({ limit: '100', after: 'B' });
    expect(cursor).toBe('A');
    expect(posts.map(({ media }) => media)).toEqual([
      [{ type: 'image', url: 'i' }],
      [
        { type: 'video', url: 'v' },
        { type: 'audio', url: 'a' },
      ],
    ]);
    expect(posts[0]).toMatchObject({ platform_post_id: post, text: 'Rye', created_at: NOW, permalink: 'p' });
  });

  it('reads metrics of the posts that Threads knows', async () => {
    const value = (name: string, amount: number) => ({ name, values: [{ value: amount }] });
    const { acting } = threadsOf({
      [`GET /${post}/insights`]: ok({
        data: [value('views', 9), value('likes', 3), value('replies', 2), value('reposts', 1), value('shares', 4)],
      }),
      'GET /11/insights': refusal(24, 4279009),
    });
    const found = await threads.posts!.metrics!(acting, measured([post, '11']));
    const extra = { views: 9, reposts: 1, quotes: 0 };
    expect([...found]).toEqual([[post, { likes: 3, comments: 2, shares: 5, saves: 0, extra }]]);
  });

  it('backfills posts and mentions, and posts alone for a login that may not see those', async () => {
    const posts = { 'GET /1/threads': ok({ data: [listed] }) };
    const mention = { ...listed, id: '20', root_post: { id: post } };
    const read = async (mentions: unknown) => {
      const { acting } = threadsOf({ ...posts, 'GET /1/mentions': mentions as never });
      const { facts } = await readOn(threads.inbox!.history!, acting);
      return facts;
    };
    expect((await read(ok({ data: [mention] }))).map(({ kind }) => kind)).toEqual(['post', 'mention']);
    expect((await read(refusal(10))).map(({ kind }) => kind)).toEqual(['post']);
  });
});

describe('replies', () => {
  const reply = (id: string, more: object = {}) => ({
    id,
    text: 'Nice',
    username: 'fred',
    timestamp: iso(NOW),
    root_post: { id: post },
    replied_to: { id: post },
    hide_status: 'NOT_HUSHED',
    ...more,
  });

  it('are listed oldest first, with what may be done to them', async () => {
    const { acting, asked } = threadsOf({
      [`GET /${post}/replies`]: ok({
        data: [
          reply('20', { has_replies: true, media_type: 'IMAGE', media_url: 'i' }),
          reply('21', { hide_status: 'HIDDEN', replied_to: { id: '20' } }),
          reply('22', { is_reply_owned_by_me: true, username: 'mia' }),
        ],
      }),
    });
    const { items } = await comments.list!(acting, { post }, { limit: 50 });
    expect(asked[0]!.query).toMatchObject({ reverse: 'false', limit: '50' });
    expect(items).toMatchObject([
      {
        platform_id: '20',
        author: { id: 'fred', username: 'fred' },
        parent_id: undefined,
        reply_count: 1,
        media: [{ type: 'image', url: 'i' }],
        is_hidden: false,
        capabilities: { can_reply: true, can_delete: false, can_hide: true, can_like: false },
      },
      { parent_id: '20', is_hidden: true, capabilities: { can_hide: false } },
      { is_owner: true, capabilities: { can_delete: true, can_hide: false } },
    ]);
  });

  it('hold more than words', async () => {
    const said = [
      { gif_url: 'g' },
      { link_attachment_url: 'l' },
      { poll_attachment: { option_a: 'Tea', option_b: 'Coffee', total_votes: 2 } },
      { text: 'Look', text_attachment: { plaintext: 'Long', link_attachment_url: 'm' } },
      { media_type: 'CAROUSEL_ALBUM', children: { data: [{ media_url: 'a' }, { media_url: 'b' }] } },
    ];
    const { acting, asked } = threadsOf({
      [`GET /${post}/replies`]: ok({ data: said.map((more, at) => reply(`2${at}`, { text: undefined, ...more })) }),
    });
    const { items } = await comments.list!(acting, { post }, { limit: 50 });
    expect(asked[0]!.query['fields']).toMatch(/children\{.*gif_url.*poll_attachment,text_attachment/);
    expect(items).toMatchObject([
      { text: '', media: [{ type: 'image', url: 'g' }] },
      { text: '', media: [{ type: 'link', url: 'l' }] },
      { text: 'Sent a poll', metadata: { poll: { options: ['Tea', 'Coffee'] } } },
      { text: 'Look\n\nLong', media: [{ type: 'link', url: 'm' }] },
      { text: '', media: [{ url: 'a' }, { url: 'b' }] },
    ]);
  });

  it('belong to a post if it is their root', async () => {
    const { acting } = threadsOf({ 'GET /20': ok(reply('20')), 'GET /21': refusal(24, 4279009) });
    expect(await comments.isComment(acting, { post, comment: '20' })).toBe(true);
    expect(await comments.isComment(acting, { post: '11', comment: '20' })).toBe(false);
    expect(await comments.isComment(acting, { post, comment: '21' })).toBe(false);
    expect(await comments.isComment(acting, { post, comment: post })).toBe(false);
  });

  it('are hidden and shown, and one that is gone is no error', async () => {
    const { acting, asked } = threadsOf({
      'POST /20/manage_reply': ok({ success: true }),
      'POST /21/manage_reply': refusal(24, 4279009),
    });
    await comments.hide!(acting, { post, comment: '20' }, true);
    await comments.hide!(acting, { post, comment: '21' }, false);
    expect(asked.map(({ form }) => form['hide'])).toEqual(['true', 'false']);
  });

  it('are deleted only if they are own', async () => {
    const { acting, calls } = threadsOf({
      'GET /20': ok(reply('20')),
      'GET /21': ok(reply('21', { is_reply_owned_by_me: true })),
      'DELETE /21': ok({ success: true }),
      'GET /22': ok(reply('22', { is_reply_owned_by_me: false })),
    });
    await comments.remove!(acting, { post, comment: '21' });
    const theirs = comments.remove!(acting, { post, comment: '22' });
    await expect(theirs).rejects.toMatchObject({ code: 'resource.not_supported' });
    expect(calls()).not.toContain('DELETE /22');
  });

  it('are written in two steps, and looked up by the state of their container', async () => {
    const ask = { post, comment: '20', text: 'Thanks' };
    const sent = { prepared: { container: 'c1', others: [] }, correlationId: 'x', sentAt: NOW };
    const { acting, asked } = threadsOf(willing());
    expect(await comments.reply!.prepare!(acting, ask)).toEqual(sent.prepared);
    expect(asked[0]!.form).toEqual({ media_type: 'TEXT', text: 'Thanks', reply_to_id: '20' });
    const made = { comment_id: 'm1', permalink: 'https://threads.net/m1' };
    expect(await comments.reply!.send(acting, ask, sent)).toEqual(made);
    const settle = (script: Script, taken: string[] = []) =>
      comments.reply!.settle!(threadsOf(script).acting, ask, { ...sent, taken: new Set(taken) });
    const found = { ...reply('m1', { replied_to: { id: '20' } }), text: 'Thanks' };
    const published = { 'GET /c1': ok({ status: 'PUBLISHED' }), 'GET /1/replies': ok({ data: [found] }) };
    expect(await settle(published)).toMatchObject({ comment_id: 'm1' });
    await expect(settle(published, ['m1'])).rejects.toMatchObject({ kind: 'unknown' });
    expect(await settle({ 'GET /c1': ok({ status: 'FINISHED' }) })).toBe('absent');
  });
});

describe('mentions', () => {
  const mention = (id: string, at: number, more: object = {}) => ({
    id,
    text: '@mia',
    username: 'fred',
    timestamp: iso(at),
    ...more,
  });

  it('are listed newest first, down to where they are known', async () => {
    const { acting } = threadsOf({
      'GET /1/mentions': ok({
        data: [mention('30', NOW), mention('31', NOW - 2000, { root_post: { id: '29' } }), mention('32', NOW - 4000)],
        paging: { cursors: { after: 'A' }, next: 'https://x' },
      }),
    });
    const { items, cursor } = await threads.mentions!.list!(acting, { limit: 10, since: NOW - 3000 });
    expect(items).toMatchObject([
      { platform_id: '30', platform_post_id: '30', mention_type: 'post', author: { id: 'fred' } },
      { platform_id: '31', platform_post_id: '29', comment_id: '31', mention_type: 'comment' },
    ]);
    expect(cursor).toBeUndefined();
  });
});

describe('pushes', () => {
  const { read, complete } = threads.push!;
  const root = { id: post, owner_id: '1', username: 'mia' };
  const value = (more: object = {}) => ({
    id: '20',
    username: 'fred',
    text: 'Nice',
    media_type: 'TEXT_POST',
    timestamp: iso(NOW),
    replied_to: { id: post },
    root_post: root,
    ...more,
  });
  const update = (field: string, of: object, more: object = {}) => ({
    app_id: '123',
    topic: 'moderate',
    target_id: '1',
    time: NOW / 1000,
    values: { value: of, field },
    ...more,
  });
  const pushed = (body: unknown) =>
    read({ path: '', headers: {}, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) });

  it('are replies, by the owner of the post, and mentions, by who is mentioned', () => {
    const comment = { platform_id: '20', platform_post_id: post, is_owner: false };
    expect(pushed(update('replies', value({ root_post: { ...root, owner_id: '2' } })))).toMatchObject([
      { user: '2', event: { kind: 'comment', comment } },
    ]);
    expect(pushed(update('mentions', value({ root_post: undefined })))).toMatchObject([
      { user: '1', event: { kind: 'mention', mention: { platform_id: '20', mention_type: 'post' } } },
    ]);
    expect(pushed(update('replies', value({ username: 'mia' })))).toMatchObject([
      { event: { comment: { is_owner: true } } },
    ]);
  });

  it('may be lists, at the top and of their values, and may name ids as bare numbers', () => {
    const { values, ...rest } = update('replies', value());
    expect(pushed([{ ...rest, values: [values, values] }])).toHaveLength(2);
    const bare = JSON.stringify(update('replies', value())).replace('"id":"20"', '"id":17841405793187219');
    expect(pushed(bare)).toMatchObject([{ event: { comment: { platform_id: '17841405793187219' } } }]);
  });

  it('tell of deleted replies, and of nothing else', () => {
    expect(pushed(update('delete', { id: '20', owner: { owner_id: '2' } }))).toEqual([
      { user: '2', event: { kind: 'comment_gone', platform_id: '20' } },
    ]);
    for (const body of [update('publish', value()), update('replies', { id: '20' }), { values: 7 }, 'x', null]) {
      expect(pushed(body)).toEqual([]);
    }
  });

  it('are completed by what they omit', async () => {
    const { acting } = threadsOf({
      'GET /20': ok({ ...value(), hide_status: 'HIDDEN', media_url: 'i', media_type: 'IMAGE' }),
    });
    const [{ event }] = pushed(update('replies', value())) as [{ event: never }];
    expect(await complete!(acting, event)).toMatchObject({ comment: { is_hidden: true, media: [{ url: 'i' }] } });
    expect(await complete!(acting, { kind: 'revoked', why: 'x' })).toEqual({ kind: 'revoked', why: 'x' });
  });
});
