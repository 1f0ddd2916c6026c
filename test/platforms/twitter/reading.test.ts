import { describe, expect, it } from 'vitest';
import { errorOf } from '#platforms/twitter/errors.ts';
import { twitter } from '#platforms/twitter/index.ts';
import { answer, NOW, ok, scripted, type Script } from '../../harness/platforms/script.ts';

const ME = '1363705964722110';
const SESSION = { access_token: 'access-1', refresh_token: 'refresh-1', user_id: ME, username: 'bakery' };

const xOf = (script: Script) =>
  scripted(script, {
    hosts: twitter.hosts.real,
    session: { ...SESSION },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace(/^\/2\//, '')}`,
  });

const post = (id: string, more: object = {}) => ({
  id,
  text: 'Hello @bakery',
  created_at: new Date(NOW).toISOString(),
  author_id: '77',
  conversation_id: id,
  ...more,
});
const NONE = ok({ meta: { result_count: 0 } });
const EMPTY = { 'GET tweets/search/recent': NONE, [`GET users/${ME}/mentions`]: NONE, 'GET dm_events': NONE };
const problem = (name: string) => ({ title: 'No', detail: 'No.', type: `https://api.x.com/2/problems/${name}` });

describe('polling', () => {
  const poll = (script: Script, cursor?: unknown) => {
    const { acting, asked } = xOf({ ...EMPTY, ...script });
    return { batch: twitter.inbox!.poll!.read(acting, cursor), asked };
  };
  const at = (id: string, more: object = {}) => ({ id, at: NOW, read: 0, ...more });

  it('takes mentions below the posts of protected accounts, which X does not show', async () => {
    const mention = post('2000', {
      conversation_id: '1000',
      referenced_tweets: [{ type: 'replied_to', id: '1900' }],
      public_metrics: { like_count: 1e300, reply_count: -1 },
    });
    const script = {
      [`GET users/${ME}/mentions`]: ok({ data: [mention] }),
      'GET tweets': ok({ errors: [problem('not-authorized-for-resource')] }),
    };
    const { events, cursor } = await poll(script, { mentions: at('1500') }).batch;
    expect(events).toMatchObject([{ kind: 'mention', mention: { platform_id: '2000' } }]);
    expect(cursor).toMatchObject({ mentions: { id: '2000' } });
  });

  it('ends a list whose next page is the same page again', async () => {
    const script = { [`GET users/${ME}/mentions`]: ok({ data: [post('2000')], meta: { next_token: 'p2' } }) };
    const first = await poll(script, { mentions: at('1500') }).batch;
    expect(first).toMatchObject({ more: true, cursor: { mentions: { id: '1500', walk: { cursor: 'p2' } } } });
    const second = await poll(script, first.cursor).batch;
    expect(second).toMatchObject({ more: false, cursor: { mentions: { id: '2000' } } });
    expect(second.cursor).not.toHaveProperty('mentions.walk');
  });

  it('searches replies by the id of the account, which stays when its name changes', async () => {
    const { batch, asked } = poll({}, {});
    await batch;
    expect(asked.find(({ call }) => call === 'GET tweets/search/recent')!.query['query']).toBe(`to:${ME} is:reply`);
  });
});

describe('comments', () => {
  it('have counts, whatever X sends', async () => {
    const strange = { like_count: 1e300, reply_count: 1.5 };
    const reply = { conversation_id: '1000', referenced_tweets: [{ type: 'replied_to', id: '1000' }] };
    const { acting } = xOf({
      'GET tweets/search/recent': ok({ data: [post('2000', { ...reply, public_metrics: strange })] }),
    });
    const { items } = await twitter.comments!.list!(acting, { post: '1000' }, { limit: 10 });
    expect(items).toMatchObject([{ like_count: 0, reply_count: 0 }]);
  });
});

describe('waiting', () => {
  const seconds = NOW / 1000;
  const throttled = (headers: Record<string, string>) =>
    errorOf({ ...answer(429, {}, headers), body: { title: 'Too Many Requests' } }, NOW)!.retryAfter;

  it('lasts until the quota that is used up begins anew', () => {
    const window = { 'x-rate-limit-reset': String(seconds + 900) };
    const day = (remaining: string) => ({
      ...window,
      'x-user-limit-24hour-remaining': remaining,
      'x-user-limit-24hour-reset': String(seconds + 40_000),
    });
    expect(throttled(window)).toBe(900);
    expect(throttled(day('3'))).toBe(900);
    expect(throttled(day('0'))).toBe(40_000);
    expect(throttled({ ...day('0'), 'x-user-limit-24hour-reset': '' })).toBe(900);
  });
});

describe('pushes', () => {
  it('with a time that no date can have are ignored', () => {
    const message = { id: '5', message_create: { target: { recipient_id: ME }, sender_id: '77', message_data: {} } };
    const read = (created_timestamp: string) => {
      const payload = { direct_message_events: [{ ...message, created_timestamp }] };
      const data = { event_type: 'dm.received', filter: { user_id: ME }, payload };
      return twitter.push!.read({ path: '', headers: {}, body: Buffer.from(JSON.stringify({ data })) });
    };
    expect(read(String(NOW))).toHaveLength(1);
    expect(read('99999999999999999')).toEqual([]);
  });
});
