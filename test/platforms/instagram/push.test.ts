import { describe, expect, it } from 'vitest';
import { hmacOf } from '#kernel/sign.ts';
import { instagram } from '#platforms/instagram/index.ts';
import type { PushRequest, PushTrust } from '#platforms/push.ts';
import { graphOf, PAGE_SESSION, USER } from '../../harness/platforms/instagram-samples.ts';
import { answer, NOW, ok } from '../../harness/platforms/script.ts';

const push = instagram.push!;
const seconds = NOW / 1000;

const request = (body: string, headers: Record<string, string> = {}, path = ''): PushRequest => ({
  path,
  headers,
  body: Buffer.from(body),
});
const read = (...entry: readonly object[]) => push.read(request(JSON.stringify({ object: 'instagram', entry })));
const value = { text: 'Is it rye?', from: { id: '5', username: 'fred' }, media: { id: 'm' } };
const comment = { user: USER, event: { kind: 'comment', comment: { platform_id: 'c', platform_post_id: 'm' } } };

describe('pushes', () => {
  it('are verified with the secret of either app', () => {
    const body = '{"entry":[]}';
    const trust = { app: ['own', 'of facebook'], verifyToken: 't' } as unknown as PushTrust;
    const verify = (secret: string) =>
      push.verify(
        request(body, {
          'x-hub-signature-256': hmacOf({ algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' }, secret, body),
        }),
        trust,
      );
    expect([verify('own'), verify('of facebook'), verify('of nobody')]).toEqual([true, true, false]);
    expect(push.signedBy).toEqual(['facebook']);
  });

  it('tell of comments in a list of changes, or flat, and whichever way the id is named', () => {
    const changes = [{ field: 'comments', value: { ...value, comment_id: 'c', parent_id: 'top' } }];
    expect(read({ id: USER, time: seconds, changes })).toMatchObject([
      { ...comment, event: { comment: { parent_id: 'top', author: { id: '5', username: 'fred' }, created_at: NOW } } },
    ]);
    expect(read({ id: USER, time: seconds, field: 'comments', value: { ...value, id: 'c' } })).toMatchObject([comment]);
    const live = [{ field: 'live_comments', value: { ...value, id: 'c' } }];
    expect(read({ id: USER, time: seconds, changes: live })).toMatchObject([comment]);
  });

  it('tell of comments whose author has no id by their name', async () => {
    const changes = [{ field: 'comments', value: { ...value, from: { username: 'fred' }, id: 'c' } }];
    const [told] = read({ id: USER, time: seconds, changes });
    const author = { id: 'fred', name: 'fred', username: 'fred' };
    expect(told).toMatchObject({ event: { comment: { author } } });
    const { acting } = graphOf({
      'GET /c': ok({ id: 'c', text: 'Is it rye?', timestamp: '2026-11-21T12:00:00+0000' }),
    });
    expect(await push.complete!(acting, told!.event)).toMatchObject({ comment: { author } });
  });

  it('may hold ids as bare numbers of 17 digits', () => {
    const body = `[{"entry":[{"id":${USER},"time":${seconds},"changes":[{"field":"comments","value":{"id":17850000000000001,"text":"x","media":{"id":17850000000000003}}}]}]}]`;
    expect(push.read(request(body))).toMatchObject([
      { user: USER, event: { comment: { platform_id: '17850000000000001', platform_post_id: '17850000000000003' } } },
    ]);
  });

  it('tell of messages, taps, ways in and what was read', () => {
    const [sender, recipient] = [{ id: '5' }, { id: USER }];
    const of = (more: object) => ({ sender, recipient, timestamp: NOW, ...more });
    const referral = { ref: 'spring', source: 'ADS', type: 'OPEN_THREAD' };
    const messaging = [
      of({ message: { mid: '1', text: 'Open?', reply_to: { mid: '0' } } }),
      of({ message: { mid: '2', text: 'Yes', quick_reply: { payload: 'YES' } } }),
      of({ message: { mid: '3', attachments: [{ type: 'ig_reel', payload: { url: 'https://cdn.test/r' } }] } }),
      of({ message: { mid: '4', is_deleted: true } }),
      of({ postback: { mid: '5', title: 'Menu', payload: 'MENU' } }),
      of({ referral }),
      of({ read: { mid: '6' } }),
      {
        sender: recipient,
        recipient: sender,
        timestamp: NOW,
        message: { mid: '7', text: 'Until six.', is_echo: true },
      },
    ];
    const conversation = { platform_id: '5' };
    expect(read({ id: USER, time: seconds, messaging }).map(({ event }) => event)).toMatchObject([
      { kind: 'message', conversation, message: { platform_id: '1', direction: 'incoming', reply_to: '0' } },
      { kind: 'message', message: { metadata: { quick_reply: { payload: 'YES' } } } },
      { kind: 'message', message: { attachments: [{ type: 'ig_reel', url: 'https://cdn.test/r' }] } },
      { kind: 'message_gone', platform_id: '4' },
      { kind: 'postback', conversation, title: 'Menu', payload: 'MENU' },
      { kind: 'referral', conversation, referral },
      { kind: 'receipt', status: 'read', message_ids: ['6'] },
      { kind: 'message', conversation, message: { platform_id: '7', direction: 'outgoing' } },
    ]);
  });

  it('leave out what cannot be read', () => {
    expect(
      read({
        id: USER,
        changes: [
          { field: 'comments', value: { text: 'x' } },
          { field: 'story_insights', value: {} },
        ],
      }),
    ).toEqual([]);
    expect(push.read(request('no JSON'))).toEqual([]);
  });

  it('name what mentions the account, which is read then', async () => {
    const changes = [{ field: 'mentions', value: { media_id: 'p', comment_id: 'k' } }];
    const [{ event }] = read({ id: USER, time: seconds, changes }) as [
      { event: Parameters<NonNullable<typeof push.complete>>[1] },
    ];
    expect(event).toMatchObject({
      kind: 'mention',
      mention: { platform_id: 'k', platform_post_id: 'p', mention_type: 'comment' },
    });
    const found = {
      id: 'k',
      text: 'See @harbour',
      timestamp: '2026-11-21T12:00:00+0000',
      username: 'fred',
    };
    const { acting, asked } = graphOf(
      { [`GET graph.facebook.com /${USER}`]: ok({ mentioned_comment: found }) },
      PAGE_SESSION,
    );
    expect(await push.complete!(acting, event)).toMatchObject({
      mention: { text: 'See @harbour', author: { username: 'fred' } },
    });
    expect(asked[0]!.query['fields']).toMatch(/^mentioned_comment\.comment_id\(k\)\{/);
  });

  it('are completed with the name of a person, and the state of a comment', async () => {
    const { acting } = graphOf({
      'GET /5': ok({ id: '5', username: 'fred', profile_pic: 'https://cdn.test/f' }),
      'GET /c': ok({ id: 'c', text: 'Is it rye?', timestamp: '2026-11-21T12:00:00+0000', like_count: 3 }),
    });
    const [said] = read({
      id: USER,
      messaging: [{ sender: { id: '5' }, recipient: { id: USER }, timestamp: NOW, message: { mid: '1' } }],
    });
    expect(await push.complete!(acting, said!.event)).toMatchObject({
      conversation: { participant: { name: 'fred', username: 'fred', avatar_url: 'https://cdn.test/f' } },
    });
    const [written] = read({ id: USER, time: seconds, changes: [{ field: 'comments', value: { ...value, id: 'c' } }] });
    expect(await push.complete!(acting, written!.event)).toMatchObject({
      comment: { like_count: 3, author: { id: '5' }, is_owner: false },
    });
  });

  it('are subscribed for the account, or for its Page', async () => {
    const target = { callback: 'https://us.test/push/instagram', verifyToken: 't' };
    const done = ok({ success: true });
    const own = graphOf({ [`POST /${USER}/subscribed_apps`]: done, [`DELETE /${USER}/subscribed_apps`]: done });
    await push.subscribe!(own.acting, target);
    await push.unsubscribe!(own.acting, null, false);
    expect(own.asked[0]!.form['subscribed_fields']).toContain('messaging_seen');
    const page = graphOf({ 'POST graph.facebook.com /101/subscribed_apps': done }, PAGE_SESSION);
    await push.subscribe!(page.acting, target);
    await push.unsubscribe!(page.acting, null, false);
    expect(page.asked.map(({ request: { headers } }) => headers!['authorization'])).toEqual(['Bearer PAGE']);
  });

  it('are subscribed again where an account subscribed to fewer fields, and without those that are refused', async () => {
    const target = { callback: 'https://us.test/push/instagram', verifyToken: 't' };
    const refused = answer(400, { error: { code: 100, message: 'no such field' } });
    const { acting, asked } = graphOf({ [`POST /${USER}/subscribed_apps`]: [refused, ok({ success: true })] });
    const made = await push.subscribe!(acting, target);
    expect(asked.map(({ form }) => form['subscribed_fields']!.includes('message_reactions,message_edit'))).toEqual([
      true,
      false,
    ]);
    expect(await push.isSubscribed!(acting, made!.kept)).toBe(true);
    expect(await push.isSubscribed!(acting, null)).toBe(false);
    const page = graphOf({}, PAGE_SESSION);
    expect(await push.isSubscribed!(page.acting, made!.kept)).toBe(false);
  });

  it('end accounts whose login removed the app, by the id the app knows it by', () => {
    const payload = Buffer.from('{"user_id":"7","algorithm":"HMAC-SHA256","issued_at":1}').toString('base64url');
    const ended = push.read(
      request(new URLSearchParams({ signed_request: `x.${payload}` }).toString(), {}, 'deauthorize'),
    );
    expect(ended).toMatchObject([{ having: { name: 'login_id', value: '7' }, event: { kind: 'revoked' } }]);
  });
});
