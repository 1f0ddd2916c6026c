import { expect } from 'vitest';
import { it, type World } from '../harness/world.ts';

it.for([
  [{}, false],
  [{ Authorization: 'Bearer' }, false],
  [{ Authorization: 'Basic YTpi' }, false],
  [{ Authorization: 'Bearer old' }, true],
] as const)('REST and MCP challenge %j alike', async ([headers, isFault], { world }) => {
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

it.for([
  ['/v1/brands', 'application/json', '{"name":"??"}', '"validation.body_invalid"'],
  ['/mcp', 'application/json', message('??'), '"code":-32700'],
  ['/oauth/token', FORM, 'grant_type=??', '"error":"invalid_request"'],
  ['/oauth/revoke', FORM, 'token=??', '"validation.body_invalid"'],
] as const)('%s refuses what is no UTF-8', async ([path, type, text, refusal], { world }) => {
  const body = Buffer.from(text.replace('??', '\xff\xfe'), 'latin1');
  const answer = await answerTo(world, path, type, body);
  expect(answer).toEqual({ status: 400, text: expect.stringContaining(refusal) });
  expect(answer.text).toContain('must be UTF-8');
});

it.for([
  ['/v1/brands', '{"name":"Ours"}', 201],
  ['/mcp', message('Ours'), 200],
] as const)('%s takes every type that is JSON', async ([path, body, status], { world }) => {
  const answer = await answerTo(world, path, 'application/vnd.api+json', body);
  expect(answer).toEqual({ status, text: expect.stringContaining('Ours') });
});
