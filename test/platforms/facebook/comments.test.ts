import { describe, expect, it } from 'vitest';
import { comments, mediaOf } from '#platforms/facebook/inbox/comments.ts';
import { mentions } from '#platforms/facebook/inbox/mentions.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import { graphOf, listed, refusal, TIME, withOnePage } from '../../harness/platforms/facebook-samples.ts';
import { lost, NOW, ok, refused } from '../../harness/platforms/script.ts';

const BEFORE = '2026-11-21T11:59:59+0000';
const place = { post: '101_1' };
const state = { prepared: null, correlationId: 'snd_1.0', sentAt: NOW + 400, taken: new Set<string>() };
const page = { id: '101', name: 'Page' };
/** An answer that comes again and again. */
const times = (count: number, reply: PlatformAnswer) => Array.from({ length: count }, () => reply);

const comment = {
  id: '1_2',
  message: 'Hi',
  created_time: TIME,
  from: { id: '9001', name: 'Ann', picture: { data: { url: 'https://a' } } },
  attachment: { type: 'photo', media: { image: { src: 'https://p' } } },
  is_hidden: true,
  can_hide: true,
  can_remove: true,
  can_comment: true,
  can_like: true,
  can_reply_privately: true,
  comment_count: 2,
  like_count: 3,
  user_likes: true,
  permalink_url: 'https://c',
};

describe('a list of comments', () => {
  it('answers what stands below a post, oldest first', async () => {
    const { acting, asked } = graphOf({ 'GET /101_1/comments': listed([comment], 'A') });
    const { items, cursor } = await comments.list!(acting, place, { limit: 500, cursor: 'B' });
    expect(asked[0]!.query).toMatchObject({ filter: 'toplevel', order: 'chronological', limit: '100', after: 'B' });
    expect(asked[0]!.query['fields']).toContain('from{id,name,picture},parent{id},attachment,is_hidden,can_hide');
    expect(asked[0]!.bearer).toBe('PAGE-101');
    expect(cursor).toBe('A');
    expect(items).toEqual([
      {
        platform_id: '1_2',
        platform_post_id: '101_1',
        parent_id: undefined,
        page_id: '101',
        author: { id: '9001', name: 'Ann', avatar_url: 'https://a' },
        is_owner: false,
        text: 'Hi',
        media: [{ type: 'image', url: 'https://p' }],
        created_at: NOW,
        permalink: 'https://c',
        like_count: 3,
        reply_count: 2,
        is_hidden: true,
        is_liked: true,
        capabilities: { can_reply: true, can_delete: true, can_hide: true, can_like: true, can_private_reply: true },
      },
    ]);
  });

  it('answers what stands below a comment, and who is not to be named', async () => {
    const reply = { id: '1_3', created_time: TIME, parent: { id: '1_2' } };
    const own = { ...reply, id: '1_4', from: page };
    const { acting } = graphOf({ 'GET /1_2/comments': listed([reply, own]) });
    const { items, cursor } = await comments.replies!(acting, { ...place, comment: '1_2' }, { limit: 10 });
    expect(cursor).toBeUndefined();
    expect(items).toMatchObject([
      { parent_id: '1_2', author: { id: '', name: '' }, is_owner: false, text: '', media: [] },
      { is_owner: true, capabilities: { can_reply: false, can_delete: false } },
    ]);
  });

  it('reads on to what is newer than the instant that is named', async () => {
    const old = { ...comment, created_time: BEFORE };
    const { acting, asked } = graphOf({
      'GET /101_1/comments': [listed([old], 'A'), listed([old, comment], 'B'), listed([comment])],
    });
    const { items, cursor } = await comments.list!(acting, place, { limit: 2, since: NOW - 1000 });
    expect([items.length, cursor, asked.length]).toEqual([1, 'B', 2]);
    expect(asked[1]!.query['after']).toBe('A');
    const again = graphOf({ 'GET /101_1/comments': listed([old], 'A') });
    expect(await comments.list!(again.acting, place, { limit: 2, since: NOW })).toEqual({ items: [], cursor: 'A' });
    expect(again.asked).toHaveLength(10);
  });

  it('goes on behind a stretch that is empty', async () => {
    const { acting } = graphOf({ 'GET /101_1/comments': [listed([], 'A'), listed([comment])] });
    const { items, cursor } = await comments.list!(acting, place, { limit: 2 });
    expect([items.length, cursor]).toEqual([1, undefined]);
  });

  it('is the business of the page whose post it is', async () => {
    const { acting, asked } = graphOf({ 'GET /202_1/comments': listed([]), 'GET /77/comments': listed([]) });
    await comments.list!(acting, { post: '202_1', page: '101' }, { limit: 1 });
    await comments.list!(acting, { post: '77', page: '202' }, { limit: 1 });
    expect(asked.map(({ bearer }) => bearer)).toEqual(['PAGE-202', 'PAGE-202']);
    const unknown = comments.list!(acting, { post: '77' }, { limit: 1 });
    await expect(unknown).rejects.toMatchObject(refused('invalid_request'));
  });

  it('refuses for a post that Facebook does not know', async () => {
    const { acting } = graphOf({ 'GET /101_1/comments': refusal(100, 33) });
    await expect(comments.list!(acting, place, { limit: 1 })).rejects.toMatchObject({ reason: 'not_found' });
    const odd = comments.list!(acting, { post: '../me', page: '101' }, { limit: 1 });
    await expect(odd).rejects.toMatchObject({ reason: 'not_found' });
  });

  it.each([
    [{ type: 'sticker', media: { image: { src: 's' } } }, [{ type: 'image', url: 's' }]],
    [{ type: 'video_inline', url: 'u', media: { source: 'v' } }, [{ type: 'video', url: 'v' }]],
    [{ type: 'video_inline', url: 'u' }, [{ type: 'video', url: 'u' }]],
    [{ type: 'share', url: 'u' }, [{ type: 'link', url: 'u' }]],
    [{ type: 'animated_image_share', url: 'u' }, [{ type: 'link', url: 'u' }]],
    [{ type: 'animated_image_share', url: 'u', media: { image: { src: 's' } } }, [{ type: 'image', url: 's' }]],
    [{ type: 'photo' }, []],
    [undefined, []],
  ])('shows %j', (attachment, media) => expect(mediaOf(attachment)).toEqual(media));
});

describe('a reply', () => {
  const ask = { ...place, comment: '1_2', text: 'Thank  you' };
  const { send, settle } = comments.reply!;

  it('is written below the comment, or below the post', async () => {
    const made = ok({ id: '1_9', permalink_url: 'https://c9' });
    const { acting, asked } = graphOf({ 'POST /1_2/comments': made, 'POST /101_1/comments': ok({ id: '1_8' }) });
    expect(await send(acting, ask, state)).toEqual({ comment_id: '1_9', permalink: 'https://c9' });
    expect(asked[0]!.form).toEqual({ message: 'Thank  you', fields: 'id,permalink_url' });
    expect(await send(acting, { ...place, text: 'Hi' }, state)).toEqual({ comment_id: '1_8' });
    expect(comments.reply!.idempotent).toBeUndefined();
  });

  it.each([
    [refusal(200), 'refused', 'permission_denied'],
    [refusal(100, 33), 'refused', 'not_found'],
    [refusal(368), 'refused', 'blocked'],
    [refusal(32), 'throttled', 'rate_limit'],
    [refusal(2, undefined, {}, 500), 'unknown', 'api_error'],
    [lost(), 'unknown', 'api_error'],
    [lost(false), 'not_sent', 'api_error'],
  ])('fails as Graph says', async (reply, outcome, reason) => {
    const { acting } = graphOf({ 'POST /1_2/comments': reply });
    await expect(send(acting, ask, state)).rejects.toMatchObject({ kind: outcome, reason });
  });

  it('is found again by its text among the newest of the page', async () => {
    const text = { message: ' Thank you\n', permalink_url: 'https://c9' };
    const own = { ...text, id: '1_9', created_time: TIME, from: { id: '101' } };
    const others = [
      { ...own, id: '1_5', from: { id: '9001' } },
      { ...own, id: '1_6', message: 'Thanks' },
      { ...own, id: '1_7', created_time: BEFORE },
      { ...own, id: '1_8', from: undefined },
    ];
    const both = [own, { ...own, id: '1_10' }];
    const { acting, asked } = graphOf({
      'GET /1_2': [...times(4, ok({ id: '1_2' })), ok({ parent: { id: '1_1' } })],
      'GET /1_1/comments': listed([own]),
      'GET /1_2/comments': [listed([...others, own]), listed(others), ...times(2, listed(both))],
    });
    expect(await settle!(acting, ask, state)).toEqual({ comment_id: '1_9', permalink: 'https://c9' });
    expect(asked[1]!.query).toMatchObject({ filter: 'toplevel', order: 'reverse_chronological', limit: '100' });
    // What is not there may come, and of two nobody knows which, unless one of them is known.
    expect(await settle!(acting, ask, state)).toBe('unknown');
    expect(await settle!(acting, ask, state)).toBe('unknown');
    const known = { ...state, taken: new Set(['1_9']) };
    expect(await settle!(acting, ask, known)).toMatchObject({ comment_id: '1_10' });
    // What answers an answer stands beside it.
    expect(await settle!(acting, ask, state)).toMatchObject({ comment_id: '1_9' });
  });
});

describe('what is done to a comment', () => {
  const at = { ...place, comment: '1_2' };
  const success = ok({ success: true });

  it('is one call each', async () => {
    const { acting, asked, calls } = graphOf({
      'DELETE /1_2': success,
      'POST /1_2': success,
      'POST /1_2/likes': success,
      'DELETE /1_2/likes': success,
    });
    await comments.remove!(acting, at);
    await comments.hide!(acting, at, true);
    await comments.hide!(acting, at, false);
    await comments.like!(acting, at, true);
    await comments.like!(acting, at, false);
    expect(calls()).toEqual(['DELETE /1_2', 'POST /1_2', 'POST /1_2', 'POST /1_2/likes', 'DELETE /1_2/likes']);
    expect(asked.map(({ form }) => form['is_hidden'])).toEqual([undefined, 'true', 'false', undefined, undefined]);
  });

  it('is done when a comment to be deleted is gone; nothing else can be done to it', async () => {
    const gone = refusal(100, 33);
    const { acting } = graphOf({ 'DELETE /1_2': gone, 'POST /1_2': gone, 'POST /1_2/likes': gone });
    await comments.remove!(acting, at);
    await expect(comments.hide!(acting, at, true)).rejects.toMatchObject({ reason: 'not_found' });
    await expect(comments.like!(acting, at, true)).rejects.toMatchObject({ reason: 'not_found' });
  });

  it('fails as Graph says', async () => {
    const { acting } = graphOf({ 'DELETE /1_2': refusal(200), 'POST /1_2': lost() });
    await expect(comments.remove!(acting, at)).rejects.toMatchObject({ reason: 'permission_denied' });
    await expect(comments.hide!(acting, at, true)).rejects.toMatchObject({ kind: 'unknown' });
  });
});

describe('a private reply', () => {
  const ask = { ...place, comment: '1_2', text: 'Hello Ann' };
  const { send, settle } = comments.privateReply!;
  const person = { id: 'P1', name: 'Ann' };

  it('is sent to the comment, with our mark', async () => {
    const { acting, asked } = graphOf({ 'POST /101/messages': ok({ message_id: 'm_1', recipient_id: 'P1' }) });
    const conversation = { platform_id: 'P1', page_id: '101', participant: { id: 'P1', name: '' } };
    expect(await send(acting, ask, state)).toEqual({ message_id: 'm_1', conversation });
    expect(asked[0]!.body).toEqual({
      recipient: { comment_id: '1_2' },
      message: { text: 'Hello Ann', metadata: 'snd_1.0' },
    });
  });

  it('asks the message whom it went to, and does without an answer', async () => {
    const to = ok({ to: { data: [page, person] } });
    const { acting, calls } = graphOf({
      'POST /101/messages': ok({ message_id: 'm_1' }),
      'GET /m_1': [to, refusal(100, 33), lost(), ok({ to: { data: [] } })],
    });
    const conversation = { platform_id: 'P1', page_id: '101', participant: person };
    expect(await send(acting, ask, state)).toEqual({ message_id: 'm_1', conversation });
    for (let i = 0; i < 3; i++) expect(await send(acting, ask, state)).toEqual({ message_id: 'm_1' });
    expect(calls().slice(0, 2)).toEqual(['POST /101/messages', 'GET /m_1']);
  });

  it.each([
    [refusal(10900), 'private_reply_ineligible'],
    [refusal(10901), 'private_reply_ineligible'],
    [refusal(10902), 'private_reply_ineligible'],
    [refusal(10903), 'private_reply_ineligible'],
    [refusal(10, 2018278), 'private_reply_ineligible'],
    [refusal(10), 'permission_denied'],
    [refusal(100, 33), 'not_found'],
    [refusal(551, 1545041), 'window_closed'],
  ])('fails as Graph says', async (reply, reason) => {
    const { acting } = graphOf({ 'POST /101/messages': reply });
    await expect(send(acting, ask, state)).rejects.toMatchObject(refused(reason));
  });

  it('is found again in the conversation with who wrote the comment', async () => {
    const said = { id: 'm_1', created_time: TIME, from: page, message: 'Hello Ann' };
    const thread = (who: object, ...data: readonly object[]) => ({
      id: 't_1',
      participants: { data: [page, who] },
      messages: { data },
    });
    const bobs = thread({ id: 'P2', name: 'Bob' }, said);
    const ann = ok({ from: { id: '9001', name: 'Ann' } });
    const both = listed([thread(person, said, { ...said, id: 'm_2' })]);
    const { acting, asked } = graphOf({
      'GET /1_2': [...times(4, ann), ok({}), ann],
      'GET /101/conversations': [
        listed([bobs, thread(person, { ...said, id: 'm_0', created_time: BEFORE }, said)]),
        listed([bobs]),
        both,
        listed([thread(person, { ...said, from: person }, { ...said, message: 'Else' })]),
        both,
      ],
    });
    const conversation = { platform_id: 'P1', page_id: '101', participant: person };
    const found = { message_id: 'm_1', created_at: NOW, conversation };
    expect(await settle!(acting, ask, state)).toMatchObject(found);
    expect(asked[1]!.query).toMatchObject({ platform: 'messenger' });
    for (let i = 0; i < 4; i++) expect(await settle!(acting, ask, state)).toBe('unknown');
    const known = { ...state, taken: new Set(['m_1']) };
    expect(await settle!(acting, ask, known)).toMatchObject({ message_id: 'm_2' });
  });
});

describe('mentions', () => {
  const said = { message: 'Look', permalink_url: 'https://m' };
  const post = { ...said, id: '55_1', created_time: TIME, from: { id: '55', name: 'Eve' } };

  it('are posts that tag the page', async () => {
    const own = { ...post, id: '101_5', from: page };
    const { acting, asked } = graphOf({
      'GET /101/tagged': listed([{ ...post, full_picture: 'https://p' }, own], 'A'),
    });
    const { items, cursor } = await mentions.list!(acting, { limit: 101, cursor: 'B', page: '101' });
    expect(asked[0]!.query).toMatchObject({ limit: '100', after: 'B' });
    expect(cursor).toBe('A');
    expect(items).toEqual([
      {
        platform_id: '55_1',
        platform_post_id: '55_1',
        page_id: '101',
        mention_type: 'post',
        author: { id: '55', name: 'Eve' },
        text: 'Look',
        media: [{ type: 'image', url: 'https://p' }],
        permalink: 'https://m',
        created_at: NOW,
      },
    ]);
  });

  it('end where they are older than wanted', async () => {
    const old = { ...post, id: '55_0', created_time: BEFORE };
    const { acting } = graphOf({ 'GET /101/tagged': listed([post, old], 'A') });
    const { items, cursor } = await mentions.list!(acting, { limit: 10, since: NOW - 1000, page: '101' });
    expect([items.map((item) => item.platform_id), cursor]).toEqual([['55_1'], undefined]);
  });

  it('need a page where the login has several', async () => {
    const { acting } = graphOf({ 'GET /101/tagged': listed([]) });
    await expect(mentions.list!(acting, { limit: 1 })).rejects.toMatchObject({ reason: 'invalid_request' });
    expect(await mentions.list!(withOnePage(acting), { limit: 1 })).toEqual({ items: [], cursor: undefined });
  });

  it('are answered where they stand, as the page that was mentioned', async () => {
    const own = { id: '9_1', created_time: TIME, from: { id: '101' }, message: 'Thanks' };
    const { acting, asked } = graphOf({
      'POST /202_9/comments': ok({ id: '9_1' }),
      'POST /9_7/comments': ok({ id: '9_2' }),
      'GET /202_9/comments': listed([own]),
    });
    const { send, settle } = mentions.reply!;
    const ask = { post: '202_9', page: '101', text: 'Thanks' };
    expect(await send(acting, ask, state)).toEqual({ comment_id: '9_1' });
    expect(await send(acting, { ...ask, comment: '9_7' }, state)).toEqual({ comment_id: '9_2' });
    expect(asked.map(({ bearer }) => bearer)).toEqual(['PAGE-101', 'PAGE-101']);
    expect(await settle!(acting, ask, state)).toEqual({ comment_id: '9_1' });
  });
});
