import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  FRED,
  openLinkedinWorld,
  OLIVIA,
  postBody,
  urn,
  type LinkedinWorld,
} from '../../harness/worlds/twins/linkedin.ts';

let world: LinkedinWorld;
let page: string;
let me: string;
let token: string;
beforeAll(async () => {
  world = await openLinkedinWorld();
  page = await world.organization();
  me = await world.person();
});
beforeEach(async () => {
  await world.sandbox.reset();
  token = await world.login();
});
afterAll(() => world.close());

const create = (author: string, commentary: string, more = {}, as = token) =>
  world.call('POST', '/rest/posts', as, postBody(author, commentary, more));
const get = (id: string) => world.call('GET', `/rest/posts/${urn(id)}`, token);
const inputs = async (reply: ReturnType<typeof create>) => {
  const { status, json } = await reply;
  return [status, json.errorDetails?.inputErrors[0].code ?? json.code];
};

describe('a post', () => {
  it('is made with an id in a header alone, is public, changed and taken away', async () => {
    const made = await create(page, 'Fresh beans');
    expect([made.status, made.text]).toEqual([201, '']);
    const id = made.headers.get('x-restli-id')!;
    expect(id).toMatch(/^urn:li:share:\d+$/);
    expect((await get(id)).json).toMatchObject({ id, author: page, commentary: 'Fresh beans', visibility: 'PUBLIC' });
    expect((await world.ask(`${world.at}/www/feed/update/${id}`)).text).toContain('Fresh beans');
    expect(world.sandbox.posts('linkedin', OLIVIA)).toMatchObject([{ uri: id, exists: true, text: 'Fresh beans' }]);
    await world.act('comment', { person: FRED, post: id, text: 'Lovely' });
    expect((await world.ask(`${world.at}/www/company/harbour-coffee`)).text).toContain('Lovely');

    const patch = { patch: { $set: { commentary: 'Fresher beans' } } };
    const change = (method: Record<string, string>) =>
      world.call('POST', `/rest/posts/${urn(id)}`, token, patch, method);
    expect((await change({})).status).toBe(400);
    expect((await change({ 'x-restli-method': 'PARTIAL_UPDATE' })).status).toBe(204);
    expect((await get(id)).json.commentary).toBe('Fresher beans');
    const remove = () =>
      world.call('DELETE', `/rest/posts/${urn(id)}`, token, undefined, { 'x-restli-method': 'DELETE' });
    expect([(await remove()).status, (await remove()).status, (await get(id)).status]).toEqual([204, 204, 404]);
    const actions = world.sandbox.posts('linkedin', OLIVIA)[0]!.versions.map(({ action }) => action);
    expect(actions).toEqual(['create', 'update', 'delete']);
  });

  it('belongs to who may write for its author', async () => {
    const [other, second] = [await world.person(FRED), await world.organization('Second Cup')];
    expect(await inputs(create(other, 'Not me'))).toEqual([403, 'ACCESS_DENIED']);
    expect(await inputs(create(second, 'Not mine'))).toEqual([403, 'ACCESS_DENIED']);
    expect((await create(await world.organization('Single Origin'), 'As content administrator')).status).toBe(201);
    const poor = await world.login(undefined, 'openid w_member_social');
    expect(await inputs(create(page, 'No right', {}, poor))).toEqual([403, 'ACCESS_DENIED']);
    const id = (await create(me, 'As myself', {}, poor)).headers.get('x-restli-id')!;
    // Reading members' posts is restricted.
    expect((await get(id)).status).toBe(403);
    const posts = (author: string) => world.call('GET', `/rest/posts?q=author&author=${urn(author)}`, token);
    expect([(await posts(me)).status, (await posts(page)).status]).toEqual([403, 200]);
    await world.act('set_role', { person: OLIVIA, organization: 'Harbour Coffee' });
    expect((await posts(page)).status).toBe(403);
  });

  it('ends at the first reserved character that is not escaped', async () => {
    const cases: [string, string][] = [
      [String.raw`Open \(daily\) \#1 \_now\_ \\o`, String.raw`Open (daily) #1 _now_ \o`],
      ['Fresh beans (really', 'Fresh beans'],
      ['Fair #coffee for all', 'Fair #coffee for all'],
      [String.raw`Fair {hashtag|\#|coffee} for 1 * 2`, 'Fair #coffee for 1'],
      [`Thanks @[Second Cup](${await world.organization('Second Cup')})\\!`, 'Thanks Second Cup'],
      ['mail me@home', 'mail me'],
    ];
    for (const [commentary, shown] of cases) {
      const id = await world.post(token, page, commentary);
      const post = world.sandbox.posts('linkedin', OLIVIA).find(({ uri }) => uri === id);
      expect(post?.text.trim()).toBe(shown);
    }
  });

  it('is checked field by field', async () => {
    const media = (id: string) => ({ content: { media: { id } } });
    const choices = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `No ${at}` }));
    const poll = (more: object) => {
      const settings = { duration: 'ONE_DAY' };
      return { content: { poll: { question: 'Tea?', options: choices(2), settings, ...more } } };
    };
    const wrong: [Record<string, unknown>, string][] = [
      [{ commentary: 'a'.repeat(3001) }, 'FIELD_LENGTH_TOO_LONG'],
      [{ visibility: 'FRIENDS' }, 'INVALID_VALUE_FOR_FIELD'],
      [{ lifecycleState: 'DRAFT' }, 'INVALID_VALUE_FOR_FIELD'],
      [{ distribution: undefined }, 'MISSING_FIELD'],
      [{ commentary: '' }, 'MISSING_FIELD'],
      [{ surprise: 1 }, 'INVALID_VALUE_FOR_FIELD'],
      [{ content: {} }, 'INVALID_VALUE_FOR_FIELD'],
      [media('urn:li:image:C4Enothing'), 'INVALID_VALUE_FOR_FIELD'],
      [{ content: { article: { source: 'https://example.com/' } } }, 'MISSING_FIELD'],
      [{ content: { multiImage: { images: [{ id: 'urn:li:image:C4E1' }] } } }, 'INVALID_VALUE_FOR_FIELD'],
      [poll({ options: choices(1) }), 'INVALID_VALUE_FOR_FIELD'],
      [poll({ options: choices(5) }), 'FIELD_LENGTH_TOO_LONG'],
      [poll({ question: 'q'.repeat(141) }), 'FIELD_LENGTH_TOO_LONG'],
      [poll({ settings: { duration: 'FOREVER' } }), 'INVALID_VALUE_FOR_FIELD'],
    ];
    for (const [more, code] of wrong)
      expect([more, await inputs(create(page, 'Hello', more))]).toEqual([more, [422, code]]);
    expect((await create(page, 'a'.repeat(3000))).status).toBe(201);
    const article = { source: 'https://example.com/beans', title: 'Beans', description: 'All of them' };
    const [asked, told] = [
      await world.post(token, page, 'Vote', poll({})),
      await world.post(token, page, 'Read', { content: { article } }),
    ];
    expect((await world.ask(`${world.at}/www/feed/update/${asked}`)).text).toContain('Tea?');
    expect((await world.ask(`${world.at}/www/feed/update/${told}`)).text).toContain('https://example.com/beans');
  });

  it('is refused as a repeat by its URN, or by one that does not exist', async () => {
    const id = await world.post(token, page, 'Fresh beans');
    const again = await create(page, 'Fresh beans');
    expect([again.status, again.json.message]).toEqual([422, `Content is a duplicate of ${id}`]);
    expect(await inputs(create(page, 'Fresh beans'))).toEqual([422, 'DUPLICATE_POST']);
    expect((await create(me, 'Fresh beans')).status).toBe(201);
    await world.act('settings', { ghost_duplicates: true, duplicate_status: 400 });
    const ghost = await create(page, 'Never seen before');
    expect(ghost.status).toBe(400);
    const [named] = /urn:li:share:\d+/.exec(ghost.json.message)!;
    expect([named === id, (await get(named)).status]).toEqual([false, 404]);
    await world.act('settings', { ghost_duplicates: false });
    await world.act('delete_post', { post: id });
    expect((await create(page, 'Fresh beans')).status).toBe(201);
  });

  it('counts towards the limit of a day', async () => {
    await world.act('settings', { posts_per_day: 1 });
    const own = await world.organization('Single Origin');
    expect((await create(own, 'One')).status).toBe(201);
    expect((await create(own, 'Two')).status).toBe(429);
    world.clock.move(86_400_000);
    expect((await create(own, 'Two', {}, await world.login())).status).toBe(201);
  });
});

describe('lists', () => {
  it('are read in pages, newest first, and by ids', async () => {
    const ids: string[] = [];
    for (const text of ['One', 'Two', 'Three']) {
      world.clock.move(1000);
      ids.push(await world.post(token, page, text));
    }
    world.clock.move(1000);
    const edit = { patch: { $set: { commentary: 'One more' } } };
    await world.call('POST', `/rest/posts/${urn(ids[0]!)}`, token, edit, { 'x-restli-method': 'PARTIAL_UPDATE' });
    const find = (more: string) => world.call('GET', `/rest/posts?q=author&author=${urn(page)}${more}`, token);
    const texts = async (more: string) => (await find(more)).json.elements.map(({ commentary }: any) => commentary);
    expect(await texts('')).toEqual(['One more', 'Three', 'Two']);
    expect(await texts('&sortBy=CREATED')).toEqual(['Three', 'Two', 'One more']);
    const first = await find('&count=2&sortBy=CREATED');
    expect(first.json.elements).toHaveLength(2);
    const [next] = first.json.paging.links;
    expect(next).toMatchObject({ rel: 'next', href: expect.stringContaining('start=2') });
    expect(await texts('&count=2&start=2&sortBy=CREATED')).toEqual(['One more']);
    expect((await find('&count=101')).status).toBe(400);
    const gone = 'urn:li:share:1';
    const { json } = await world.call('GET', `/rest/posts?ids=List(${urn(ids[1]!)},${urn(gone)})`, token);
    expect(json).toMatchObject({ results: { [ids[1]!]: { commentary: 'Two' } }, statuses: { [gone]: 404 } });
  });

  it('want URNs to be encoded', async () => {
    const id = await world.post(token, page, 'Hello');
    for (const path of [`/rest/posts/${id}`, `/rest/posts?q=author&author=${page}`, `/rest/posts?ids=List(${id})`])
      expect((await world.call('GET', path, token)).json).toMatchObject({ status: 400, code: 'ILLEGAL_ARGUMENT' });
  });

  it('may call a post by its other names', async () => {
    const id = await world.post(token, page, 'Hello');
    const [{ activity }] = (await world.list('posts')) as [{ activity: string }];
    const other = id.replace('share', 'ugcPost');
    for (const name of [activity, other]) expect((await get(name)).json).toMatchObject({ id, commentary: 'Hello' });
    await world.act('settings', { posts_listed_as: 'ugcPost' });
    expect((await get(id)).json.id).toBe(other);
  });
});
