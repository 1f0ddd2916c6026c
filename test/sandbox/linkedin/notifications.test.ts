import { MINUTE } from '#kernel/clock.ts';
import { afterAll, beforeEach, beforeAll, describe, expect, it } from 'vitest';
import { signatureOf } from '#sandbox/linkedin/notices.ts';
import { FRED, openLinkedinWorld, urn, type LinkedinWorld } from '../../harness/worlds/twins/linkedin.ts';

const TYPE = 'ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS';

let world: LinkedinWorld;
let page: string;
let me: string;
let token: string;
let webhook: string;
beforeAll(async () => {
  world = await openLinkedinWorld();
  [page, me] = [await world.organization(), await world.person()];
  webhook = `${world.app.url}/push/linkedin`;
});
beforeEach(async () => {
  await world.sandbox.reset();
  world.app.behave({ proves: true, status: 200 });
  world.app.got.length = 0;
  token = await world.login();
});
afterAll(() => world.close());

const key = (user = me, entity = page) => {
  const parts = { developerApplication: 'urn:li:developerApplication:123', user, entity };
  const written = Object.entries(parts).map(([name, value]) => `${name}:${urn(value)}`);
  return `/rest/eventSubscriptions/(${written.join(',')},eventType:${TYPE})`;
};
const subscribe = (at = webhook) => world.call('PUT', key(), token, { webhook: at });
const notified = () => world.app.got.flatMap(({ body }) => JSON.parse(body).notifications);

it('signs as the vector of the contract says', () => {
  const body = `{"type":"${TYPE}","notifications":[]}`;
  const right = '402cf9cdc626c0ebaf382709c0e3f3c720807c24074c439a734f7e72dd1ec03a';
  expect(signatureOf('test_client_secret', body)).toBe(right);
});

describe('a subscription', () => {
  it('is taken for an address that proves itself, by who administers the organisation', async () => {
    world.app.behave({ proves: false });
    expect((await subscribe()).status).toBe(400);
    world.app.behave({ proves: true });
    expect((await subscribe('https://x.ngrok.io/push')).status).toBe(400);
    expect((await subscribe()).status).toBe(204);
    expect((await world.call('GET', key(), token)).json).toMatchObject({ webhook, entity: page, user: me });
    const finder = `/rest/eventSubscriptions?q=subscriberAndEventType&eventType=${TYPE}`;
    const { expiresAt } = (await world.call('GET', finder, token)).json.elements[0];
    expect(expiresAt).toBe(world.clock.now() + 60 * 86_400_000);
    const other = await world.organization('Single Origin');
    expect((await world.call('PUT', key(me, other), token, { webhook })).status).toBe(403);
    expect((await world.call('DELETE', key(), token)).status).toBe(204);
    expect((await world.call('GET', key(), token)).status).toBe(404);
  });

  it('is told of everything around public posts, in tens, signed', async () => {
    await subscribe();
    const post = await world.post(token, page, 'Fresh beans');
    const [{ activity }] = (await world.list('posts')) as [{ activity: string }];
    const comment = await world.act('comment', { person: FRED, post, text: 'Nice' });
    await world.act('edit_comment', { comment, text: 'Very nice' });
    await world.act('react', { person: FRED, post });
    const share = await world.act('share', { person: FRED, post, text: 'Look' });
    const mention = await world.act('mention', { person: FRED, organization: 'Harbour Coffee', text: 'is great' });
    const object = { actor: page, object: post, message: { text: 'Thanks' } };
    await world.call('POST', `/rest/socialActions/${urn(post)}/comments`, token, object);
    await world.act('delete_comment', { comment });
    expect(notified().map(({ action }) => action)).toEqual(
      'COMMENT COMMENT_EDIT LIKE SHARE SHARE_MENTION ADMIN_COMMENT COMMENT_DELETE'.split(' '),
    );
    const fred = await world.person(FRED);
    expect(notified()[0]).toEqual({
      notificationId: expect.any(Number),
      organizationalEntity: page,
      action: 'COMMENT',
      sourcePost: activity,
      decoratedSourcePost: { entity: post, owner: page, text: 'Fresh beans', mediaCategory: 'NONE' },
      generatedActivity: comment,
      decoratedGeneratedActivity: { comment: { entity: comment, owner: fred, text: 'Nice', object: activity } },
      lastModifiedAt: world.clock.now(),
      subscriber: me,
    });
    expect(notified()[3]).toMatchObject({ generatedActivity: share, sourcePost: activity });
    expect(notified()[4]).toMatchObject({
      generatedActivity: mention,
      decoratedGeneratedActivity: { share: { entity: mention, owner: fred, text: 'Harbour Coffee is great' } },
    });
    const [{ signature, body }] = world.app.got as [{ signature: string; body: string }];
    expect([signature, JSON.parse(body).type]).toEqual([signatureOf('sandbox', body), TYPE]);

    const criteria = `actions=List(COMMENT,SHARE_MENTION)&organizationalEntity=${urn(page)}`;
    const found = await world.call('GET', `/rest/organizationalEntityNotifications?q=criteria&${criteria}`, token);
    expect(found.json.elements.map(({ action }: any) => action)).toEqual(['SHARE_MENTION', 'COMMENT']);
  });

  it('is told nothing of what is not public, and may hear other names', async () => {
    await subscribe();
    const hidden = await world.post(token, page, 'For some', { visibility: 'LOGGED_IN' });
    await world.act('comment', { person: FRED, post: hidden, text: 'Nice' });
    expect(notified()).toEqual([]);
    await world.act('settings', { posts_named_as: 'own', short_comment_urns: true });
    const post = await world.post(token, page, 'For all');
    await world.act('comment', { person: FRED, post, text: 'Nice' });
    expect(notified()).toMatchObject([
      { sourcePost: post, generatedActivity: expect.stringContaining(`urn:li:comment:(${post.slice(7)},`) },
    ]);
  });

  it('goes on every five minutes for eight hours, and in bundles of ten', async () => {
    await subscribe();
    const post = await world.post(token, page, 'Fresh beans');
    world.app.behave({ status: 500 });
    await world.act('settings', { push_paused: true });
    for (let n = 0; n < 11; n += 1) await world.act('comment', { person: FRED, post, text: `No ${n}` });
    await world.act('settings', { push_paused: false });
    await world.act('flush');
    world.app.behave({ status: 200 });
    world.clock.move(5 * MINUTE);
    await world.sandbox.settle();
    expect(world.app.got.map(({ body }) => JSON.parse(body).notifications.length)).toEqual([10, 1]);
  });

  it('is dropped with the role, and stops at an address that fails three times in a row', async () => {
    await subscribe();
    const post = await world.post(token, page, 'Fresh beans');
    const comment = async (text: string) => {
      await world.act('comment', { person: FRED, post, text });
      return notified().at(-1)?.decoratedGeneratedActivity.comment.text;
    };
    expect(await comment('One')).toBe('One');
    const before = world.app.challenges();
    world.clock.move(121 * MINUTE);
    expect([await comment('Two'), world.app.challenges() - before]).toEqual(['Two', 1]);
    world.app.behave({ proves: false });
    for (let n = 0; n < 3; n += 1) await world.act('check_webhooks');
    world.app.behave({ proves: true });
    expect(await comment('Three')).toBe('Two');
    await world.act('check_webhooks');
    await world.act('flush');
    expect(notified().at(-1).decoratedGeneratedActivity.comment.text).toBe('Three');
    await world.act('set_role', { person: 'Olivia Harbour', organization: 'Harbour Coffee', role: 'ANALYST' });
    expect(await comment('Four')).toBe('Three');
    expect((await world.call('GET', key(), token)).status).toBe(404);
  });
});
