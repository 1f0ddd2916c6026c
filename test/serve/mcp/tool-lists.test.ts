import { expect } from 'vitest';
import type { Caller } from '#call/caller.ts';
import { authorityOver } from '#kernel/authority.ts';
import { platforms } from '#platforms/index.ts';
import type { Platform } from '#platforms/platform.ts';
import { mayCall, profileOf } from '#serve/access.ts';
import { isListed, listTools } from '#serve/mcp/catalogue.ts';
import { makeToolLists } from '#serve/mcp/lists.ts';
import { SCOPES, type Scope } from '#kernel/scopes.ts';
import { toolsets } from '#tools/index.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { block, callMcp, TOOLS } from '../../harness/calls/operations.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { aCaller } from '../../harness/toys.ts';

const BASE = aCaller;
const OFFERED = TOOLS.filter((tool) => isListed(tool) && tool.leashed !== true);

/** A world in which nobody has reviews. */
const makeWorldWithoutReviews = (more: readonly Platform[] = []) => {
  const others = [...platforms.values()].filter(({ reviews }) => reviews === undefined);
  return makeWorld({ surroundings: { platforms: new Map([...others, ...more].map((one) => [one.slug, one])) } });
};

async function post(world: World, path: string, key: string, message: object) {
  const response = await fetch(world.root + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  return (await response.json()) as any;
}

async function listOf(world: World, key: string, path = '/mcp'): Promise<readonly string[]> {
  const { result } = await post(world, path, key, { method: 'tools/list', params: {} });
  return result.tools.map(({ name }: { name: string }) => name);
}

const viewOfAll = {
  id: 0,
  outputs: 'short' as const,
  entries: new Map(listTools(toolsets).map((entry) => [entry.tool.name, entry])),
};

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

/** Whether a call without any sensible input gets past the question who calls. */
async function isOpenTo(world: World, key: string, name: string, path: string): Promise<boolean> {
  const input = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => [field!, 'none']));
  const { code } = await callMcp(world, name, input, { key });
  return code !== 'auth.insufficient_scope' && code !== 'billing.past_due';
}

it('tools/list of an unrestricted key or an OAuth grant holds what this build can do, and no more', async () => {
  const world = await makeWorld();
  expect(await listOf(world, world.key)).toEqual(names(OFFERED));
  // People of the dashboard have the same tools: what is theirs alone is for no assistant.
  expect(await listOf(world, await dashboardToken(world))).toEqual(names(OFFERED));
  const oauth = makeToolLists(new Set(names(OFFERED)))(viewOfAll, { ...BASE, kind: 'oauth' });
  expect(names((JSON.parse(`{${oauth}}`) as { tools: { name: string }[] }).tools)).toEqual(names(OFFERED));
});

it('tools/list of a limited key holds exactly what the key may call', async ({ world }) => {
  const limits = [
    { scopes: ['posts:read'] },
    { scopes: ['dms:read', 'dms:send'] },
    { scopes: ['webhooks:manage', 'analytics:read'] },
    { scopes: ['webhooks:manage', 'posts:write'], brand_ids: [world.brandId] },
    { brand_ids: [world.brandId] },
  ];
  for (const limit of limits) {
    const key = await world.newKey(limit);
    const open: string[] = [];
    for (const { name, http } of OFFERED) if (await isOpenTo(world, key, name, http.path)) open.push(name);
    expect([limit, await listOf(world, key)]).toEqual([limit, open]);
    expect(open).toContain('get_me');
    expect(open).not.toContain('create_key');
    expect(open.length).toBeLessThan(OFFERED.length);
  }
});

it('tools/list follows the scopes of a key, and the subscription', async ({ world }) => {
  const { raw_key, id } = (await world.rest('POST /v1/keys', { name: 'one', scopes: ['posts:read'] })).body;
  expect(await listOf(world, raw_key)).not.toContain('create_post');
  await world.rest(`PATCH /v1/keys/${id}`, { scopes: ['posts:write'] });
  expect(await listOf(world, raw_key)).toContain('create_post');
  expect(await listOf(world, raw_key)).not.toContain('get_post');
  await block(world);
  expect(await listOf(world, raw_key)).toEqual(['list_plans', 'get_me']);
});

it('views narrow what the caller may call', async ({ world }) => {
  const key = await world.newKey({ scopes: ['posts:read', 'webhooks:manage'] });
  const reads = [
    'list_posts',
    'get_post',
    'get_post_metrics',
    'get_analytics',
    'list_post_logs',
    'get_constraints',
    'validate_post',
  ];
  expect(await listOf(world, key, '/mcp/x/posts')).toEqual(reads);
  expect(await listOf(world, key, '/mcp?toolsets=posts&readonly=1')).toEqual(reads);
  expect(await listOf(world, key, '/mcp/x/brands')).toEqual([]);
  expect(await listOf(world, world.key, '/mcp/x/posts')).toContain('create_post');
});

it('a tool outside of the list of its caller answers its ordinary refusal', async ({ world, account }) => {
  const reader = await world.newKey({ scopes: ['posts:read'] });
  const refused = await callMcp(world, 'create_post', { text: 'x' }, { key: reader });
  expect([refused.code, refused.meta]).toEqual(['auth.insufficient_scope', { required_scope: 'posts:write' }]);
  const creator = await callMcp(world, 'get_creator_info', { account_id: account.id });
  expect(creator.code).toBe('resource.not_supported');
});

it('the server card and the instructions name the toolsets that assistants are shown, and no others', async () => {
  const world = await makeWorldWithoutReviews();
  const shown = toolsets.filter(({ tools }) => tools.some((tool) => OFFERED.includes(tool))).map(({ id }) => id);
  expect(shown).not.toContain('redirects');
  const sets = shown.filter((id) => id !== 'reviews' && id !== 'google');
  const card = (await world.rest('GET /.well-known/mcp/server-card.json', undefined, { key: null })).body;
  expect(card._meta['dev.rostra/toolsets'].map(({ id }: { id: string }) => id)).toEqual(sets);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const { instructions } = (await post(world, '/mcp', world.key, { method: 'initialize', params })).result;
  expect([...instructions.matchAll(/^- (\w+): /gm)].map(([, id]) => id)).toEqual(sets);
  // One that is not named cannot be asked for either.
  const { error } = await post(world, '/mcp?toolsets=reviews', world.key, { method: 'tools/list', params: {} });
  expect(error.message).toContain(`there are ${sets.join(', ')} and all`);
});

it('a tool is shown as soon as one connector can do what it needs', async () => {
  const facebook = platforms.get('facebook')!;
  const reviewing = { ...facebook, reviews: { reply: {} } } as unknown as Platform;
  const world = await makeWorldWithoutReviews([reviewing]);
  const told = await listOf(world, world.key);
  expect(told).toContain('get_reviews');
  expect(told).toContain('reply_to_review');
  const { result } = await post(world, '/mcp', world.key, { method: 'prompts/list', params: {} });
  expect(result.prompts.map(({ name }: { name: string }) => name)).toContain('review_digest');
});

it('prompts name no tool that assistants are not shown', async () => {
  const world = await makeWorldWithoutReviews();
  const { result } = await post(world, '/mcp', world.key, { method: 'prompts/list', params: {} });
  const offered = result.prompts.map(({ name }: { name: string }) => name);
  expect(offered).toContain('triage_inbox');
  expect(offered).not.toContain('review_digest');
});

it('callers of one profile may call the same tools', () => {
  const scopes = Object.keys(SCOPES) as Scope[];
  const chosen: readonly (readonly Scope[])[] = [[], ...scopes.map((scope) => [scope]), scopes, scopes.toReversed()];
  const newcomer = { email: 'a@example.org', name: 'A' };
  const callers = chosen.flatMap((limited) =>
    [[], ['brd_1'], ['brd_2', 'brd_3']].flatMap((brands) =>
      (['key', 'oauth', 'dashboard'] as const).flatMap((kind): Caller[] => {
        const limits = { scopes: limited, brands, dashboard: kind === 'dashboard' };
        const caller = { ...BASE, kind, authority: authorityOver('ws_1', limits) };
        return [
          caller,
          { ...caller, newcomer },
          { ...caller, workspace: { ...BASE.workspace, blockedAt: 1 } },
          { ...caller, id: 'key_2', workspace: { ...BASE.workspace, id: 'ws_2', plan: 'free' } },
        ];
      }),
    ),
  );
  const allowed = new Map<string, string>();
  for (const caller of callers) {
    const open = names(TOOLS.filter((tool) => mayCall(tool, caller))).join(' ');
    const profile = profileOf(caller);
    expect([profile, allowed.get(profile) ?? open]).toEqual([profile, open]);
    allowed.set(profile, open);
  }
  expect(allowed.size).toBeGreaterThan(100);
});
