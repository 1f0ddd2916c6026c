import { expect } from 'vitest';
import { it, type World } from '../harness/world.ts';
import { requestOf, TOOLS } from '../harness/calls/operations.ts';
import { exchange } from '../harness/sockets.ts';

type Sent = Readonly<{ method: string; path: string; headers?: Record<string, string> }>;

/** A request as it is, Host included; fetch would set its own. */
async function send({ root }: World, { method, path, headers = {} }: Sent) {
  const { host, port } = new URL(root);
  const { status, text, setCookies } = await exchange({ port, method, path, headers: { Host: host, ...headers } });
  return { status, text, cookie: setCookies.map((one) => one.split(';')[0]).join('; ') };
}

/** Every operation, with something for its path parameters. */
function operations(): Sent[] {
  return TOOLS.map((tool) => {
    const fields = [...tool.http.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => [field!, 'none']);
    const [method, path] = requestOf(tool, Object.fromEntries(fields)).route.split(' ') as [string, string];
    return { method, path };
  });
}

const ROUTES: readonly Sent[] = [
  ...[
    '/',
    '/mcp',
    '/mcp/x/posts',
    '/mcp/server-card',
    '/.well-known/mcp/server-card.json',
    '/llms.txt',
    '/reference',
    '/reference/list_brands',
    '/skills/rostra/SKILL.md',
    '/.well-known/oauth-protected-resource',
    '/sandbox',
    '/sandbox/bluesky/xrpc/com.atproto.server.describeServer',
    '/sandbox/__control/reset',
    '/connect/bluesky/form?state=0',
    '/connect/result',
    '/upload/none',
    '/media/none/a.png',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/v1',
    '/nothing/here',
  ].map((path) => ({ method: 'GET', path })),
  { method: 'POST', path: '/mcp' },
  { method: 'POST', path: '/connect/bluesky/form?state=0' },
  { method: 'POST', path: '/sandbox/__control/reset' },
  { method: 'PUT', path: '/upload/none' },
  { method: 'OPTIONS', path: '/v1/posts' },
  { method: 'OPTIONS', path: '/mcp' },
];

it('another Host gets 421 on every route, whatever token it brings', async ({ world }) => {
  await world.connect();
  const { port } = new URL(world.root);
  for (const Host of [
    'rebound.example',
    `rebound.example:${port}`,
    `localhost.rebound.example:${port}`,
    'localhost:1',
  ]) {
    for (const { method, path } of [...ROUTES, ...operations()]) {
      const { status } = await send(world, { method, path, headers: { Host, Authorization: `Bearer ${world.key}` } });
      expect([Host, method, path, status]).toEqual([Host, method, path, 421]);
    }
  }
  expect((await world.rest('GET /v1/accounts')).body.count).toBe(1);
});

it('another Host gets the stylesheet of the page that says so, and nothing beside it', async ({ world }) => {
  const headers = { Host: 'rebound.example' };
  const found = await send(world, { method: 'GET', path: '/assets/rostra.css', headers });
  expect([found.status, found.text]).toEqual([200, expect.stringContaining('--')]);
  for (const path of ['/assets/app.css', '/assets/rostra.css/..', '/x?/assets/rostra.css'])
    expect((await send(world, { method: 'GET', path, headers })).status).toBe(421);
});

it('a cookie alone opens neither the API nor MCP', async ({ world }) => {
  const { auth_url } = (await world.rest('GET /v1/oauth/url?platform=bluesky')).body;
  const { pathname, search } = new URL(auth_url);
  const { cookie } = await send(world, { method: 'GET', path: pathname + search });
  expect(cookie).toMatch(/^rostra-form-/);
  // A browser would bring its cookies, and whatever else pages may ask for, but no Authorization.
  const Cookie = `${cookie}; session=${world.key}; token=${world.key}; Authorization=Bearer ${world.key}`;
  for (const { method, path } of [
    ...operations(),
    { method: 'POST', path: '/mcp' },
    { method: 'POST', path: '/mcp/x/posts' },
  ]) {
    const headers = { Cookie, Origin: world.root, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
    const { status, text } = await send(world, { method, path, headers });
    expect([method, path, status, JSON.parse(text).error.code]).toEqual([method, path, 401, 'auth.missing_header']);
  }
});
