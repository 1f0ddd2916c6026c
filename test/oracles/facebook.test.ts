import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFacebookWorld, type FacebookWorld } from '../harness/worlds/twins/facebook.ts';
import { openOracle } from './oracle.ts';

/** Meta publishes no schema of the Pages API; what all of Graph shares is in that of its messaging. */
const { flawsOf } = openOracle<'GraphAPIError' | 'CursorPaging'>('./meta-graph.json');

let world: FacebookWorld;
beforeAll(async () => {
  world = await openFacebookWorld();
});
afterAll(() => world.close());

it('the twin of facebook refuses as Graph says that it refuses', async () => {
  const { id, token, user } = await world.ready();
  const refused = [
    await world.get('me'),
    await world.get('me', 'not a token'),
    await world.get('1', user),
    await world.get(`${id}/no_such_edge`, token),
    await world.post(`${id}/feed`, token),
    await world.post(`${id}/messages`, token, { recipient: { id: '1' }, message: { text: 'x' } }),
    await world.graph('DELETE', '1', {}, token),
    await world.get('oauth/access_token', undefined, { client_id: 'sandbox', client_secret: 'wrong', code: 'x' }),
  ];
  for (const { status, json } of refused) {
    expect([status >= 400, flawsOf('GraphAPIError', json)]).toEqual([true, []]);
  }
});

it('the twin of facebook pages its lists as Graph says that they are paged', async () => {
  const { id, token } = await world.ready();
  for (const message of ['one', 'two', 'three']) await world.post(`${id}/feed`, token, { message });
  const { json } = await world.get(`${id}/published_posts`, token, { limit: 2 });
  expect(json.data).toHaveLength(2);
  expect([Object.keys(json.paging).toSorted(), flawsOf('CursorPaging', json.paging)]).toEqual([
    ['cursors', 'next'],
    [],
  ]);
});

it('an answer that does not hold is found out', () => {
  const error = { message: 'no', type: 'OAuthException', code: '190' };
  expect(flawsOf('GraphAPIError', { error })).toEqual(['/error/code must be integer']);
  expect(flawsOf('GraphAPIError', {})).toHaveLength(1);
});
