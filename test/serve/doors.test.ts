import { expect, it } from 'vitest';
import { makeWorld } from '../harness/world.ts';

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
