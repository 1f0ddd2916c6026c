import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FRED, openLinkedinWorld, urn, type LinkedinWorld } from '../../harness/worlds/twins/linkedin.ts';

let world: LinkedinWorld;
let page: string;
let me: string;
let fred: string;
let token: string;
let post: string;
let activity: string;
beforeAll(async () => {
  world = await openLinkedinWorld();
  [page, me, fred] = [await world.organization(), await world.person(), await world.person(FRED)];
});
beforeEach(async () => {
  await world.sandbox.reset();
  token = await world.login();
  post = await world.post(token, page, 'Fresh beans');
  [{ activity }] = (await world.list('posts')) as [{ activity: string }];
});
afterAll(() => world.close());

const below = (id: string) => `/rest/socialActions/${urn(id)}/comments`;
const say = (on: string, text: string, more = {}, actor = page) =>
  world.call('POST', below(on), token, { actor, object: post, message: { text }, ...more });
const list = async (on: string, more = '') => (await world.call('GET', `${below(on)}${more}`, token)).json;

describe('a comment', () => {
  it('is made, answered on one level, and listed without names', async () => {
    const theirs = await world.act('comment', { person: FRED, post, text: 'Which hills?' });
    expect(theirs).toMatch(new RegExp(`^urn:li:comment:\\(${activity},\\d+\\)$`));
    const made = await say(theirs, 'Those in the north', { parentComment: theirs });
    const { id, commentUrn } = made.json;
    expect([made.status, made.headers.get('x-restli-id')]).toEqual([201, id]);
    expect(made.headers.get('x-resourceidentity-urn')).toBe(commentUrn);
    const { elements } = await list(post);
    expect(elements).toMatchObject([
      { $URN: theirs, actor: fred, object: activity, message: { text: 'Which hills?' } },
    ]);
    expect(elements[0].commentsSummary).toMatchObject({ aggregatedTotalComments: 1 });
    expect(JSON.stringify(elements)).not.toContain('Fred');
    expect((await list(theirs)).elements).toMatchObject([{ commentUrn, parentComment: theirs, actor: page }]);
    expect((await say(commentUrn, 'Too deep', { parentComment: commentUrn })).status).toBe(400);
    expect((await say(theirs, 'No parent')).status).toBe(400);
    expect((await say(post, 'Other post', { object: 'urn:li:share:1' })).status).toBe(400);
    expect((await world.call('GET', `${below(post)}/${id}`, token)).json.message.text).toBe('Those in the north');
  });

  it('is bounded, in pages, and refused where comments are closed', async () => {
    expect((await say(post, 'a'.repeat(1251))).status).toBe(422);
    expect((await say(post, 'Not mine', {}, fred)).status).toBe(403);
    for (const text of ['One', 'Two', 'Three']) await say(post, text);
    const first = await list(post, '?start=0&count=2');
    expect([first.elements.length, first.paging.links.length]).toEqual([2, 1]);
    expect((await list(post, '?start=2&count=2')).elements).toMatchObject([{ message: { text: 'Three' } }]);
    await world.act('close_comments', { post, closed: true });
    expect((await say(post, 'Four')).status).toBe(403);
    expect((await say('urn:li:share:1', 'Nowhere')).status).toBe(404);
  });

  it('is changed and taken away by who made it, or by whose post it is', async () => {
    const { id } = (await say(post, 'Mine')).json;
    const patch = { patch: { message: { $set: { text: 'Still mine' } } } };
    const at = (actor: string, of = id) => `${below(post)}/${of}?actor=${urn(actor)}`;
    const change = (actor: string, of = id) =>
      world.call('POST', at(actor, of), token, patch, { 'x-restli-method': 'PARTIAL_UPDATE' });
    expect([(await change(me)).status, (await change(page)).status]).toEqual([403, 204]);
    expect((await list(post)).elements).toMatchObject([{ message: { text: 'Still mine' } }]);
    const theirs = (await world.act('comment', { person: FRED, post, text: 'Spam' })).split(/[,)]/)[1];
    const remove = (actor: string) => world.call('DELETE', at(actor, theirs), token);
    expect([(await change(page, theirs)).status, (await remove(me)).status]).toEqual([403, 403]);
    expect([(await remove(page)).status, (await remove(page)).status]).toEqual([204, 404]);
    const own = await world.post(token, me, 'As myself');
    const other = (await world.act('comment', { person: FRED, post: own, text: 'Hello' })).split(/[,)]/)[1];
    expect((await world.call('DELETE', `${below(own)}/${other}?actor=${urn(me)}`, token)).status).toBe(403);
  });
});

describe('reactions and counts', () => {
  it('are made and taken back, and counted', async () => {
    const react = (root: string, reactionType = 'LIKE') =>
      world.call('POST', `/rest/reactions?actor=${urn(page)}`, token, { root, reactionType });
    const comment = await world.act('comment', { person: FRED, post, text: 'Nice' });
    expect((await react(comment)).status).toBe(201);
    expect((await react(post, 'PRAISE')).headers.get('x-restli-id')).toBe(`(actor:${urn(page)},entity:${urn(post)})`);
    expect((await react(post, 'HATE')).status).toBe(422);
    await world.act('react', { person: FRED, post });
    expect((await list(post)).elements[0].likesSummary).toMatchObject({ totalLikes: 1 });
    const { json } = await world.call('GET', `/rest/socialMetadata/${urn(post)}`, token);
    expect(json).toEqual({
      entity: post,
      reactionSummaries: { PRAISE: { reactionType: 'PRAISE', count: 1 }, LIKE: { reactionType: 'LIKE', count: 1 } },
      commentSummary: { count: 1, topLevelCount: 1 },
      commentsState: 'OPEN',
    });
    const summary = (await world.call('GET', `/rest/socialActions/${urn(activity)}`, token)).json;
    expect(summary.likesSummary.totalLikes).toBe(2);
    const many = await world.call('GET', `/rest/socialMetadata?ids=List(${urn(post)},${urn('urn:li:share:1')})`, token);
    expect(Object.keys(many.json.results)).toEqual([post]);
    const back = () => world.call('DELETE', `/rest/reactions/(actor:${urn(page)},entity:${urn(comment)})`, token);
    expect([(await back()).status, (await back()).status]).toEqual([204, 404]);
  });

  it('are statistics of organisations, by post and together', async () => {
    await world.act('view', { post, impressions: 10, clicks: 2 });
    await world.act('comment', { person: FRED, post, text: 'Nice' });
    await world.act('share', { person: FRED, post });
    const base = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${urn(page)}`;
    const read = async (more: string) => (await world.call('GET', `${base}${more}`, token)).json;
    const one = await read(`&shares=List(${urn(post)})`);
    expect(one.elements).toMatchObject([
      {
        share: post,
        organizationalEntity: page,
        totalShareStatistics: { impressionCount: 10, clickCount: 2, commentCount: 1, shareCount: 1, engagement: 0.4 },
      },
    ]);
    expect((await read(`&ugcPosts=List(${urn(post)})`)).status).toBe(400);
    expect((await read('')).elements).toMatchObject([{ totalShareStatistics: { impressionCount: 10 } }]);
  });
});
