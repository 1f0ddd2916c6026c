import { afterEach, describe, expect, vi } from 'vitest';
import { addPerson } from '#engine/users/standing.ts';
import { updateUser } from '#db/access/users.ts';
import { moveAction } from '#db/leash/actions.ts';
import { isHoldable } from '#call/tool.ts';
import { SCOPES, type Scope } from '#kernel/scopes.ts';
import type { Role } from '#kernel/people/roles.ts';
import { AGREED, OWN, type Agreed } from '../architecture/operations-table.ts';
import { accessToken, openAuthWorld } from '../harness/calls/authorize.ts';
import { sessionOf } from '../harness/calls/browser.ts';
import { dashboardToken } from '../harness/calls/dashboard.ts';
import { leash } from '../harness/calls/leash.ts';
import { call, callThrough, expectRefusal, TOOLS } from '../harness/calls/operations.ts';
import { newMember, type Member } from '../harness/calls/members.ts';
import { nothing } from '../harness/calls/nothing.ts';
import { forFile } from '../harness/fixtures.ts';
import { describeStores } from '../harness/stores/stores.ts';
import { openIdentity, token as identityToken } from '../harness/worlds/identity.ts';
import { it as test, makeWorld, type World } from '../harness/world.ts';

afterEach(() => void vi.useRealTimers());

const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies readonly Role[];
/** An app is one that the person connected. */
const KINDS = ['dashboard', 'app'] as const;
type Kind = (typeof KINDS)[number];

const ALL = Object.keys(SCOPES) as Scope[];
const READS: readonly Scope[] = [
  'accounts:read',
  'posts:read',
  'media:read',
  'inbox:read',
  'dms:read',
  'analytics:read',
];
const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ALL,
  admin: ALL,
  editor: [...READS, 'posts:write', 'media:write', 'inbox:write', 'dms:send'],
  viewer: READS,
};

/** Streams do not end. */
const OPERATIONS = [...AGREED, ...OWN].filter(({ name }) => !name.startsWith('stream_'));

/** Whether an operation is for the people of a role, or for their apps: docs/contract/access.md#kinds-of-access. */
function isFor({ access, effect }: Pick<Agreed, 'access' | 'effect'>, role: Role, kind: Kind): boolean {
  const isAdministrator = role === 'owner' || role === 'admin';
  const has = (scope: Scope) => SCOPES_OF[role].includes(scope);
  if ('open' in access) return true;
  // Who only reads makes nothing, even where reading is all that a key needs.
  if ('scope' in access) return has(access.scope) && (effect === 'read' || has('posts:write'));
  if ('admin' in access) return isAdministrator;
  if (kind === 'app') return false;
  if ('decide' in access) return has('posts:write');
  return access.dashboard === true ? isAdministrator : has(access.dashboard);
}

/** What does something even without an input, and what assistants must confirm first. */
const DOES = new Set(['delete_me', 'delete_brand']);

type Tokens = Readonly<Record<Role, Readonly<Record<Kind, string>>>>;

async function makeTokens(world: World): Promise<Tokens> {
  const tokens: Partial<Record<Role, Record<Kind, string>>> = {};
  for (const role of ROLES) {
    const id = role === 'owner' ? world.userId : (await newMember(world, role)).id;
    const app = await accessToken(world, await sessionOf(world, id));
    tokens[role] = { dashboard: await dashboardToken(world, id), app };
  }
  return tokens as Tokens;
}

const it = test.extend(
  'scene',
  { scope: 'file' },
  forFile(async (atEnd) => {
    const world = await makeWorld({}, atEnd);
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
    const tokens = await makeTokens(world);
    vi.useRealTimers();
    return { world, tokens };
  }),
);

describe.each(ROLES)('the role %s', (role) => {
  describe.each(KINDS)('of a caller of the kind %s', (kind) => {
    it.for(OPERATIONS)('$name is for it or not, as declared', async (operation, { scene: { world, tokens } }) => {
      vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
      const isMeant = isFor(operation, role, kind);
      if (isMeant && DOES.has(operation.name)) return;
      const {
        ok,
        status,
        code = 'none',
      } = await call(world, operation.name, nothing(operation), {
        key: tokens[role][kind],
      });
      if (isMeant) expect([code.startsWith('auth.'), status === 403]).toEqual([false, false]);
      else {
        const closed = kind === 'app' && 'dashboard' in operation.access;
        const refusal = closed ? 'auth.requires_dashboard_auth' : 'auth.insufficient_scope';
        expect([ok, status, code]).toEqual([false, 403, refusal]);
      }
    });
  });
});

describe('what people and their apps see', () => {
  it.for(ROLES)('as %s, an app has the tools of the role', async (role, { scene: { world, tokens } }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
    const answer = await fetch(`${world.root}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${tokens[role].app}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
    const isDenied = (name: string) => OPERATIONS.some((one) => one.name === name && !isFor(one, role, 'app'));
    const listed = result.tools.map(({ name }) => name);
    expect(listed.filter(isDenied)).toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(['get_me', 'list_accounts']));
    expect([listed.includes('create_post'), listed.includes('create_key')]).toEqual([
      role !== 'viewer',
      role === 'owner' || role === 'admin',
    ]);
  });

  it.for(ROLES)('as %s, a session of the dashboard is what its token is', async (role, { scene: { world } }) => {
    const { db } = world.product.store;
    const user = await db.selectFrom('users').select('id').where('role', '=', role).executeTakeFirstOrThrow();
    const { jar } = await sessionOf(world, user.id);
    const visitor = (await world.product.signin.visitor(jar.get('rostra-session')!.value))!;
    const caller = await world.product.callers.identify(`Bearer ${await dashboardToken(world, user.id)}`);
    expect([visitor.role, visitor.caller.authority]).toEqual([role, caller.authority]);
  });
});

/** One operation for each kind of access. */
const SAMPLES = OPERATIONS.filter(
  ({ access }, at) => OPERATIONS.findIndex((other) => JSON.stringify(other.access) === JSON.stringify(access)) === at,
);

/** Adds a person as the operator does: invitations are refused where an identity provider names people. */
async function memberOf({ product, workspaceId, clock }: World, role: Exclude<Role, 'owner'>): Promise<string> {
  const person = { email: `${role}@example.org`, name: role, passwordHash: '', role };
  await addPerson({ store: product.store, clock }, workspaceId, person);
  return person.email;
}

test('a token of the identity provider is for what the role of its person allows', async () => {
  const { world, key } = await openIdentity();
  for (const role of ROLES) {
    const email = role === 'owner' ? 'owner@example.org' : await memberOf(world, role);
    const bearer = await identityToken(world, key, { email });
    for (const operation of SAMPLES) {
      const isMeant = isFor(operation, role, 'dashboard');
      const { status } = await call(world, operation.name, nothing(operation), { key: bearer });
      expect([role, operation.name, status !== 403]).toEqual([role, operation.name, isMeant]);
    }
  }
});

test('a new role counts at once for sessions, tokens and apps', async () => {
  const { world } = await openAuthWorld();
  const owner = await dashboardToken(world);
  const { id, browser, token } = await newMember(world, 'admin');
  const app = await accessToken(world, browser);
  const may = async (name: string, key: string) =>
    (await call(world, name, {}, { key })).code !== 'auth.insufficient_scope';
  const mayAll = async () => [
    await may('list_keys', token),
    await may('list_keys', app),
    await may('create_brand', app),
    (await browser.open('/dashboard/keys')).status,
  ];
  expect(await mayAll()).toEqual([true, true, true, 200]);
  await call(world, 'update_person', { user_id: id, role: 'viewer' }, { key: owner });
  expect(await mayAll()).toEqual([false, false, false, 403]);
  await call(world, 'update_person', { user_id: id, role: 'admin' }, { key: owner });
  expect(await mayAll()).toEqual([true, true, true, 200]);
});

describeStores('a new role that another process gives', { kinds: ['file', 'postgres'] }, (stores) => {
  test('counts within a second', async () => {
    const place = await stores.place();
    const world = await makeWorld({ store: place });
    const other = await stores.open(place);
    const { id, token } = await newMember(world, 'admin');
    const ask = async () => (await call(world, 'list_keys', {}, { key: token })).status;
    expect(await ask()).toBe(200);
    await other.write((tx) => updateUser(tx.db, id, { role: 'editor' }));
    await expect.poll(ask, { timeout: 5_000 }).toBe(403);
  });
});

test('a repeat of a request is refused once the role is lowered', async ({ world }) => {
  const owner = await dashboardToken(world);
  const { id, token } = await newMember(world, 'admin');
  const options = { key: token, headers: { 'Idempotency-Key': 'once' } };
  const ask = async () => world.rest('POST /v1/keys', { name: 'n8n' }, options);
  expect((await ask()).status).toBe(201);
  expect((await ask()).headers.get('Idempotency-Replayed')).toBe('true');
  await call(world, 'update_person', { user_id: id, role: 'editor' }, { key: owner });
  const { status, body } = await ask();
  expect([status, body.error.code, JSON.stringify(body).includes('rostra_key_')]).toEqual([
    403,
    'auth.insufficient_scope',
    false,
  ]);
});

describe('requests that wait for a person', () => {
  it('are decided by people who could do the same themselves', async ({ world }) => {
    // Connecting and managing are never held, so editors may do all that they approve.
    const held = TOOLS.filter(isHoldable);
    expect(held.filter((one) => !isFor(one, 'editor', 'dashboard'))).toEqual([]);
    const account = await world.connect();
    const key = await world.newKey();
    await leash(world, key, { preset: 'ask' });
    const input = { text: 'Hello', publish_now: true, account_ids: [account.id] };
    const action_id = (await callThrough(world, 'rest', 'create_post', input, { key })).body.id as string;
    const [editor, viewer] = [await newMember(world, 'editor'), await newMember(world, 'viewer')];
    const { etag } = (await call(world, 'get_action', { action_id }, { key: viewer.token })).body;
    const decide = (name: string, { token }: Member) => call(world, name, { action_id, etag }, { key: token });
    await expectRefusal(decide('approve_action', viewer), 'auth.insufficient_scope');
    await expectRefusal(decide('deny_action', viewer), 'auth.insufficient_scope');
    await expectRefusal(call(world, 'withdraw_action', { action_id }, { key: viewer.token }), 'resource.not_found');
    expect((await decide('approve_action', editor)).ok).toBe(true);
  });

  it('are not carried out for a person who was demoted or removed meanwhile', async ({ world }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
    const owner = await dashboardToken(world);
    const account = await world.connect();
    const { id, browser, token } = await newMember(world, 'editor');
    const app = await accessToken(world, browser);
    const [connection] = (await call(world, 'list_connections', {}, { key: token })).body.data;
    await call(world, 'set_leash', { connection_id: connection.id, preset: 'ask' }, { key: token });
    const ask = async (text: string) => {
      const input = { text, publish_now: true, account_ids: [account.id] };
      return (await callThrough(world, 'rest', 'create_post', input, { key: app })).body.id as string;
    };
    const [approved, later] = [await ask('One'), await ask('Two')];
    const read = async (action_id: string) => (await call(world, 'get_action', { action_id }, { key: owner })).body;
    const approve = async (action_id: string) =>
      call(world, 'approve_action', { action_id, etag: (await read(action_id)).etag }, { key: owner });

    // The approval and the new role at once: what was approved has not begun.
    await world.product.store.write(async (tx) => {
      await updateUser(tx.db, id, { role: 'viewer' });
      await moveAction(tx.db, approved, 'held', { state: 'approved' });
      await tx.enqueue({ kind: 'run_action', key: approved, runAt: world.clock.now() });
    });
    await world.settle();
    expect(await read(approved)).toMatchObject({ state: 'failed', error: { code: 'auth.insufficient_scope' } });
    await expectRefusal(approve(later), 'auth.insufficient_scope');
    await call(world, 'remove_person', { user_id: id }, { key: owner });
    await expectRefusal(approve(later), 'resource.conflict', { state: 'withdrawn' });
    expect((await call(world, 'list_posts')).body.data).toEqual([]);
  });
});
