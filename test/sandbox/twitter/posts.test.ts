import { DAY } from '#kernel/clock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FRED, OLIVIA, openXWorld, SAM, type XWorld } from '../../harness/worlds/twins/twitter.ts';
import { gif, mp4, png } from '../../harness/media-samples.ts';

const PROBLEMS = 'https://api.x.com/2/problems';

let world: XWorld;
let token: string;
let me: string;
beforeAll(async () => {
  world = await openXWorld();
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.clear();
  token = await world.login();
  me = await world.id(OLIVIA);
});
afterAll(() => world.close());

const post = (body: object, access = token) => world.call('POST', '/2/tweets', access, body as Record<string, string>);
const posted = async (text: string, more: object = {}): Promise<string> => (await post({ text, ...more })).json.data.id;
const replyTo = (in_reply_to_tweet_id: string) => ({ reply: { in_reply_to_tweet_id } });
const read = async (id: string, query: Record<string, string> = {}) =>
  (await world.get(`/2/tweets/${id}`, token, query)).json;
const ids = async (path: string, query: Record<string, string> = {}) => {
  const { json } = await world.get(path, token, query);
  return (json.data ?? []).map(({ id }: { id: string }) => id);
};

describe('posts', () => {
  it('have short links, and pages of their own', async () => {
    const about = await world.get('/2/users/me', token, { 'user.fields': 'profile_image_url,subscription_type' });
    expect(about.json.data).toMatchObject({ username: 'olivia', name: 'Olivia Harbour', subscription_type: 'None' });
    const made = await post({ text: 'Beans & more: https://example.com/coffee?a=1&b=2' });
    expect(made.status).toBe(201);
    const { id } = made.json.data;
    expect(made.json.data.text).toMatch(/^Beans &amp; more: https:\/\/t\.co\/\w{10}$/);
    const page = await world.ask(`${world.at}/www/olivia/status/${id}`);
    expect(page.text).toContain('Beans &amp; more: https://example.com/coffee?a=1&amp;b=2');
    const picture = await world.upload(token, png(), 'image/png', 'tweet_image');
    expect(picture.json.data).toMatchObject({ media_key: expect.stringMatching(/^3_/), size: png().length });
    const second = await posted('A cup', { media: { media_ids: [picture.json.data.id] } });
    const reply = await world.act('reply', { person: FRED, post: id, text: 'Nice' });
    const found = await world.get('/2/tweets', token, {
      ids: `${id},${second},${reply},1`,
      'tweet.fields': 'entities,conversation_id,public_metrics,referenced_tweets',
      expansions: 'author_id,attachments.media_keys',
      'media.fields': 'url',
    });
    const [first, , answer] = found.json.data;
    expect(first).toMatchObject({ conversation_id: id, public_metrics: { impression_count: 1, reply_count: 1 } });
    expect(first.entities.urls[0]).toMatchObject({ start: 18, end: 41, display_url: 'example.com/coffee?a=1&b=2' });
    expect(answer).toMatchObject({ text: '@olivia Nice', referenced_tweets: [{ type: 'replied_to', id }] });
    const { media, users } = found.json.includes;
    expect(users.map(({ username }: { username: string }) => username)).toEqual(['olivia', 'fred']);
    expect(Buffer.from(await (await fetch(media[0].url)).arrayBuffer())).toEqual(png());
    // What is not there is named beside what is.
    expect(found.status).toBe(200);
    expect(found.json.errors).toMatchObject([{ resource_id: '1', type: `${PROBLEMS}/resource-not-found` }]);
    expect(await read('1')).toEqual({ errors: [expect.objectContaining({ parameter: 'id' })] });
    await world.call('DELETE', `/2/tweets/${second}`, token);
    expect(world.sandbox.posts('twitter', OLIVIA).map(({ text, exists }) => [text, exists])).toEqual([
      ['Beans & more: https://example.com/coffee?a=1&b=2', true],
      ['A cup', false],
    ]);
    expect((await world.ask(`${world.at}/www/i/web/status/${second}`)).status).toBe(404);
  });

  it('are counted by weight, and may be long with Premium', async () => {
    const long = `${'日'.repeat(128)} https://example.com/${'x'.repeat(300)}`;
    expect((await post({ text: long })).status).toBe(201);
    const refused = await post({ text: `日${long}` });
    expect([refused.status, refused.json.detail]).toEqual([403, 'Your Post text is too long.']);
    await world.act('premium', { account: OLIVIA, premium: true });
    const words = 'word '.repeat(300).trim();
    const id = await posted(words);
    const { data } = await read(id, { 'tweet.fields': 'note_tweet' });
    expect([data.text.length <= 280, words.startsWith(data.text)]).toEqual([true, true]);
    expect(data.note_tweet.text).toBe(words);
    expect((await read(id)).data.note_tweet).toBeUndefined();
  });

  it('are refused a second time, in X’s words', async () => {
    const first = await posted('Good morning');
    const again = await post({ text: ' Good morning ' });
    expect([again.status, again.json]).toEqual([
      403,
      {
        title: 'Forbidden',
        detail: 'You are not allowed to create a Tweet with duplicate content.',
        type: 'about:blank',
        status: 403,
      },
    ]);
    expect((await post({ text: 'Good morning', ...replyTo(first) })).status).toBe(201);
    world.clock.move(DAY);
    token = await world.login();
    expect((await post({ text: 'Good morning' })).status).toBe(201);
  });

  it.each<[object, number, string]>([
    [{}, 400, '$.text: is missing but it is required'],
    [{ text: 'x', mood: 'good' }, 400, '$: Unrecognized key: "mood" in the schema'],
    [{ text: 'x', media: { media_ids: ['1'] } }, 400, 'Your media IDs are invalid.'],
    [{ text: 'x', poll: { options: ['a'], duration_minutes: 5 } }, 400, '$.poll.options: Too small'],
    [
      { text: 'x', poll: { options: ['a', 'b'], duration_minutes: 5 }, quote_tweet_id: '1' },
      400,
      '$.poll: cannot stand',
    ],
    [{ text: '$AAA and $AAA' }, 403, 'You are not allowed to create a Post with more than one cashtag.'],
    [{ text: 'x', ...replyTo('1') }, 403, 'You attempted to reply to a Post that is deleted or not visible to you.'],
  ])('are refused where they are %o', async (body, status, words) => {
    const reply = await post(body);
    expect([reply.status, reply.json.errors?.[0].message ?? reply.json.detail]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  });

  it('have polls, and are gone once they are deleted', async () => {
    const id = await posted('Which?', { poll: { options: ['This', 'That'], duration_minutes: 60 } });
    const { includes } = await read(id, { expansions: 'attachments.poll_ids', 'poll.fields': 'duration_minutes' });
    expect(includes.polls[0]).toMatchObject({ options: [{ position: 1, label: 'This' }, { label: 'That' }] });
    const other = await world.login(SAM);
    expect((await world.call('DELETE', `/2/tweets/${id}`, other)).status).toBe(403);
    for (const _ of [1, 2])
      expect((await world.call('DELETE', `/2/tweets/${id}`, token)).json).toEqual({ data: { deleted: true } });
    expect(await ids(`/2/users/${me}/tweets`)).toEqual([]);
  });
});

describe('answers', () => {
  it('are for those who were asked for them, unless the app is a large customer’s', async () => {
    const first = await posted('Hello');
    const stranger = await world.act('publish', { person: FRED, text: 'To nobody' });
    const comment = await world.act('reply', { person: FRED, post: first, text: 'Hi' });
    const named = await world.act('mention', { person: FRED, account: OLIVIA, text: 'are you open?' });
    const quoting = await world.act('quote', { person: FRED, post: first, text: 'Look' });
    const status = async (to: string) => (await post({ text: `Answer to ${to}`, ...replyTo(to) })).status;
    for (const to of [first, comment, named, quoting]) expect(await status(to)).toBe(201);
    const refused = await post({ text: 'Buy!', ...replyTo(stranger) });
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining('not been mentioned')]);
    await world.act('settings', { replies_engage: false });
    expect((await post({ text: 'Again', ...replyTo(comment) })).status).toBe(403);
    const quote = { text: 'So true', quote_tweet_id: named };
    expect((await post(quote)).json).toMatchObject({
      reason: 'client-not-enrolled',
      type: `${PROBLEMS}/client-forbidden`,
    });
    const like = () => world.call('POST', `/2/users/${me}/likes`, token, { tweet_id: named });
    expect((await like()).status).toBe(403);
    await world.act('settings', { enterprise: true });
    expect((await post({ text: 'Buy!', ...replyTo(stranger) })).json.data.text).toBe('@fred Buy!');
    expect((await post(quote)).status).toBe(201);
    expect((await like()).json).toEqual({ data: { liked: true } });
    const { data } = await read(named, { 'tweet.fields': 'public_metrics' });
    expect(data.public_metrics).toMatchObject({ like_count: 1, quote_count: 1, reply_count: 1 });
  });

  it('are found by the search for a week, hidden by whom they answer, and listed with mentions', async () => {
    const first = await posted('Hello');
    const comment = await world.act('reply', { person: FRED, post: first, text: 'Hi', picture: true });
    const below = await world.act('reply', { person: 'mia', post: comment, text: 'Me too' });
    const named = await world.act('mention', { person: FRED, account: OLIVIA, text: 'open?' });
    const search = (query: string) => ids('/2/tweets/search/recent', { query });
    expect(await search(`conversation_id:${first} is:reply`)).toEqual([below, comment]);
    expect(await search(`in_reply_to_tweet_id:${comment}`)).toEqual([below]);
    expect(await search('from:fred -is:reply')).toEqual([named]);
    expect(await search('to:olivia')).toEqual([comment]);
    expect((await world.get('/2/tweets/search/recent', token, { query: 'colour:red' })).status).toBe(400);
    expect(await ids(`/2/users/${me}/mentions`)).toEqual([named, comment]);
    expect(await ids(`/2/users/${me}/mentions`, { since_id: comment })).toEqual([named]);
    const hide = (id: string, hidden: unknown, access = token) =>
      world.call('PUT', `/2/tweets/${id}/hidden`, access, { hidden } as Record<string, boolean>);
    expect((await hide(comment, true)).json).toEqual({ data: { hidden: true } });
    expect((await world.ask(`${world.at}/www/olivia/status/${first}`)).text).toContain('This reply is hidden.');
    expect((await hide(comment, false, await world.login(SAM))).status).toBe(403);
    expect((await hide(first, true)).status).toBe(403);
    expect((await hide(comment, 'yes')).status).toBe(400);
    await world.act('hide', { post: comment, hidden: false });
    const shown = await world.ask('/sandbox/twitter');
    expect(shown.text).toContain('Me too');
    expect(shown.text).toContain((await world.own()).client_secret);
    world.clock.move(7 * DAY + 1);
    token = await world.login();
    expect(await search(`conversation_id:${first} is:reply`)).toEqual([]);
    expect(await ids(`/2/users/${me}/mentions`)).toEqual([named, comment]);
  });
});

describe('lists', () => {
  it('go on below their last id, whatever is new', async () => {
    const all: string[] = [];
    for (let n = 1; n <= 12; n += 1) all.unshift(await posted(`Post ${n}`));
    const path = `/2/users/${me}/tweets`;
    const { json } = await world.get(path, token, { max_results: '5' });
    expect(json.meta).toMatchObject({ result_count: 5, newest_id: all[0], oldest_id: all[4] });
    await posted('Newer');
    const pages = [all.slice(0, 5)];
    for (let next = json.meta.next_token; next !== undefined;) {
      const page = (await world.get(path, token, { max_results: '5', pagination_token: next })).json;
      pages.push(page.data.map(({ id }: { id: string }) => id));
      next = page.meta.next_token;
    }
    expect(pages.flat()).toEqual(all);
    const empty = await world.get(path, token, { until_id: '1' });
    expect(empty.json).toEqual({ meta: { result_count: 0 } });
    await world.act('settings', { list_lag_ms: 60_000 });
    await posted('Late');
    expect(await ids(path)).toEqual([]);
    world.clock.move(60_000);
    expect((await ids(path, { max_results: '100' })).length).toBe(14);
    await posted('Later');
    expect((await world.get('/2/tweets/search/recent', token, { query: 'Later' })).json.meta.result_count).toBe(0);
    const wrong: Record<string, string>[] = [
      { max_results: '4' },
      { pagination_token: 'x' },
      { colour: 'red' },
      { 'tweet.fields': 'colour' },
      { exclude: 'colour' },
      { expansions: 'colour' },
      { since_id: 'x' },
    ];
    for (const query of wrong)
      expect((await world.get(path, token, query)).json.type).toBe(`${PROBLEMS}/invalid-request`);
    expect((await world.get('/2/users/1/tweets', token)).status).toBe(404);
  });

  it('show private numbers to the author for 30 days', async () => {
    const [own, other] = [await posted('Mine'), await world.act('publish', { person: FRED, text: 'His' })];
    const asked = { ids: `${own},${other}`, 'tweet.fields': 'non_public_metrics' };
    for (let n = 1; n <= 7; n += 1) await world.ask(`${world.at}/www/i/web/status/${own}`);
    const { json } = await world.get('/2/tweets', token, asked);
    expect(json.data[0].non_public_metrics).toMatchObject({ impression_count: 7 });
    expect(json.errors).toMatchObject([{ resource_id: other, type: `${PROBLEMS}/not-authorized-for-field` }]);
    world.clock.move(31 * DAY);
    token = await world.login();
    expect((await world.get('/2/tweets', token, asked)).json.errors).toHaveLength(2);
  });

  it('cost reads and are limited, with numbers on each answer', async () => {
    const id = await posted('One');
    const asked = await world.get('/2/users/me', token);
    expect(asked.headers.get('x-rate-limit-limit')).toBe('75');
    expect(asked.headers.get('x-rate-limit-remaining')).toBe('74');
    for (let n = 1; n < 75; n += 1) await world.get('/2/users/me', token);
    const over = await world.get('/2/users/me', token);
    expect([over.status, over.json.title, over.headers.get('x-rate-limit-reset')]).toEqual([
      429,
      'Too Many Requests',
      String(Math.floor((world.clock.now() + 900_000) / 1000)),
    ]);
    world.clock.move(900_000);
    expect((await world.get('/2/users/me', token)).status).toBe(200);
    await world.act('settings', { monthly_reads: 1 });
    expect((await world.get(`/2/tweets/${id}`, token)).status).toBe(200);
    const capped = await world.get(`/2/tweets/${id}`, token);
    expect([capped.status, capped.json.type]).toEqual([429, `${PROBLEMS}/usage-capped`]);
    expect(capped.json).toMatchObject({ title: 'UsageCapExceeded', period: 'Monthly' });
    expect((await post({ text: 'Writing goes on' })).status).toBe(201);
    await world.act('settings', { credits_gone: true });
    expect((await post({ text: 'No more' })).json).toMatchObject({
      title: 'CreditsDepleted',
      type: `${PROBLEMS}/credits`,
    });
    await world.act('settings', { credits_gone: false });
    const order = { when: 'before', status: 403, title: 'Forbidden', detail: 'No.', type: 'client-forbidden' };
    await world.act('order', { method: 'POST /2/tweets', ...order, reason: 'client-not-enrolled' });
    expect((await post({ text: 'Ordered' })).json).toMatchObject({ detail: 'No.', reason: 'client-not-enrolled' });
  });
});

describe('files', () => {
  const film = mp4({});
  const begin = (body: object) =>
    world.call('POST', '/2/media/upload/initialize', token, body as Record<string, string>);
  const status = async (id: string) =>
    (await world.get('/2/media/upload', token, { command: 'STATUS', media_id: id })).json.data;

  it('come in segments and are worked on', async () => {
    const upload = await world.upload(token, film, 'video/mp4', 'tweet_video', 100);
    const { id, processing_info: info } = upload.json.data;
    expect(info).toEqual({ state: 'pending', check_after_secs: 1, progress_percent: 0 });
    const media = { media: { media_ids: [id] } };
    expect((await post({ text: 'Early', ...media })).json.errors[0].message).toBe('Your media IDs are invalid.');
    world.clock.move(1500);
    expect((await status(id)).processing_info).toEqual({
      state: 'in_progress',
      check_after_secs: 1,
      progress_percent: 50,
    });
    world.clock.move(1500);
    expect((await status(id)).processing_info).toEqual({ state: 'succeeded', progress_percent: 100 });
    await world.call('POST', '/2/media/metadata', token, { id, metadata: { alt_text: { text: 'A harbour' } } });
    const made = await posted('A film', media);
    const { includes } = await read(made, {
      expansions: 'attachments.media_keys',
      'media.fields': 'variants,alt_text',
    });
    expect(includes.media[0]).toMatchObject({ type: 'video', alt_text: 'A harbour' });
    expect(Buffer.from(await (await fetch(includes.media[0].variants[0].url)).arrayBuffer())).toEqual(
      Buffer.from(film),
    );
    await world.act('settings', { processing_fails: true });
    const bad = (await world.upload(token, gif(), 'image/gif', 'tweet_gif')).json.data.id;
    world.clock.move(3000);
    expect((await status(bad)).processing_info).toMatchObject({ state: 'failed', error: { name: 'InvalidMedia' } });
    expect((await post({ text: 'Bad', media: { media_ids: [bad] } })).status).toBe(400);
    world.clock.move(DAY);
    token = await world.login();
    expect((await world.get('/2/media/upload', token, { media_id: id })).status).toBe(400);
  });

  it('have to be what they were said to be', async () => {
    const sizes = { media_type: 'image/png', total_bytes: 5 * 1024 * 1024 + 1, media_category: 'tweet_image' };
    expect((await begin(sizes)).json.errors[0].message).toContain('File size exceeds');
    expect((await begin({ ...sizes, total_bytes: 9, media_type: 'video/mp4' })).status).toBe(400);
    expect((await begin({ ...sizes, total_bytes: 9, media_category: 'poster' })).status).toBe(400);
    const lie = await world.upload(token, film, 'image/png', 'tweet_image');
    expect([lie.status, lie.json.errors[0].message]).toEqual([400, '$.media_type: video/mp4 does not fit tweet_image']);
    const { id } = (await begin({ ...sizes, total_bytes: 9 })).json.data;
    const append = (index: number, media: string) =>
      world.call('POST', `/2/media/upload/${id}/append`, token, { segment_index: index, media: btoa(media) });
    expect((await append(1, 'later')).status).toBe(200);
    expect((await append(1000, 'x')).status).toBe(400);
    const finalize = (access = token) => world.call('POST', `/2/media/upload/${id}/finalize`, access);
    expect((await finalize()).json.errors[0].message).toContain('do not add up');
    expect((await finalize(await world.login(SAM))).status).toBe(400);
    const body = new FormData();
    body.set('media', new Blob([png()], { type: 'image/png' }), 'cup.png');
    body.set('media_category', 'tweet_image');
    const shot = await world.call('POST', '/2/media/upload', token, body);
    expect(shot.json.data.processing_info).toBeUndefined();
    const [one, two] = [shot.json.data.id, (await world.upload(token, gif(), 'image/gif', 'tweet_gif')).json.data.id];
    world.clock.move(5000);
    expect((await post({ text: 'Both', media: { media_ids: [one, two] } })).status).toBe(400);
    expect((await post({ media: { media_ids: [one] } })).status).toBe(201);
  });

  it('take a part that is called bytes for a file, also without a file name', async () => {
    const bytes = png();
    const asked = { media_type: 'image/png', media_category: 'tweet_image', total_bytes: bytes.length };
    const { id } = (await begin(asked)).json.data;
    const part = (name: string, type = '') => `--edge\r\nContent-Disposition: form-data; name="${name}"${type}\r\n\r\n`;
    const body = Buffer.concat([
      Buffer.from(`${part('segment_index')}0\r\n${part('media', '\r\nContent-Type: application/octet-stream')}`),
      bytes,
      Buffer.from('\r\n--edge--\r\n'),
    ]);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=edge' };
    const sent = await world.ask(`${world.at}/api/2/media/upload/${id}/append`, { method: 'POST', headers, body });
    expect(sent.status).toBe(200);
    expect((await world.call('POST', `/2/media/upload/${id}/finalize`, token)).json.data.size).toBe(bytes.length);
  });
});
