import { expect, it } from 'vitest';
import { makeWorld, type World } from '../harness/world.ts';

it.each([
  [{}, false],
  [{ Authorization: 'Bearer' }, false],
  [{ Authorization: 'Basic YTpi' }, false],
  [{ Authorization: 'Bearer old' }, true],
])('REST and MCP challenge %j alike', async (headers, isFault) => {
  const world = await makeWorld();
  const challengeOf = async (path: string) =>
    (await fetch(world.root + path, { method: 'POST', headers })).headers.get('www-authenticate');
  const metadata = `${world.root}/.well-known/oauth-protected-resource`;
  const rest = `scope="social:all"${isFault ? ', error="invalid_token"' : ''}`;
  expect(await challengeOf('/v1/brands')).toBe(`Bearer resource_metadata="${metadata}", ${rest}`);
  expect(await challengeOf('/mcp')).toBe(`Bearer resource_metadata="${metadata}/mcp", ${rest}`);
});

/** What a door answers to a body, sent as it stands. */
async function answerTo(world: World, path: string, type: string, body: string | Buffer<ArrayBuffer>) {
  const headers = { Authorization: `Bearer ${world.key}`, Origin: world.root, 'Content-Type': type };
  const answer = await fetch(world.root + path, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

const message = (name: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'create_brand', arguments: { name } },
  });
const FORM = 'application/x-www-form-urlencoded';

it.each([
  ['/v1/brands', 'application/json', '{"name":"??"}', '"validation.body_invalid"'],
  ['/mcp', 'application/json', message('??'), '"code":-32700'],
  ['/oauth/token', FORM, 'grant_type=??', '"error":"invalid_request"'],
  ['/oauth/revoke', FORM, 'token=??', '"validation.body_invalid"'],
])('%s refuses what is no UTF-8', async (path, type, text, refusal) => {
  const world = await makeWorld();
  const body = Buffer.from(text.replace('??', '\xff\xfe'), 'latin1');
  const answer = await answerTo(world, path, type, body);
  expect(answer).toEqual({ status: 400, text: expect.stringContaining(refusal) });
  expect(answer.text).toContain('must be UTF-8');
});

it.each([
  ['/v1/brands', '{"name":"Ours"}', 201],
  ['/mcp', message('Ours'), 200],
])('%s takes every type that is JSON', async (path, body, status) => {
  const world = await makeWorld();
  const answer = await answerTo(world, path, 'application/vnd.api+json', body);
  expect(answer).toEqual({ status, text: expect.stringContaining('Ours') });
});
