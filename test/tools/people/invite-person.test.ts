import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#kernel/clock.ts';
import { insertInvitation } from '#db/access/signin.ts';
import { updateUser } from '#db/access/users.ts';
import { sha256 } from '#kernel/sign.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectInvalid, expectRefusal, expectRequired } from '../../harness/calls/operations.ts';
import { invite, join, newMember } from '../../harness/calls/members.ts';
import { PASSWORD } from '../../harness/calls/people.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { openIdentity } from '../../harness/worlds/identity.ts';

const EMAIL = 'bea@example.org';
const WEEK = 7 * DAY;

describeDashboardCallers('invite_person', { email: EMAIL, role: 'editor' });

const owner = async (world: World) => ({ key: await dashboardToken(world) });

describe('invite_person', () => {
  it('answers a link with which somebody joins once', async ({ world }) => {
    const given = { email: ' Bea@Example.org', role: 'editor' };
    const { status, body } = await call(world, 'invite_person', given, await owner(world));
    const { id, url, ...rest } = body;
    expect([status, id, url]).toEqual([
      201,
      expect.stringMatching(/^ivt_/),
      expect.stringMatching(new RegExp(`^${world.root}/join\\?token=[0-9a-f]{64}$`)),
    ]);
    const when = { created_at: '2026-01-15T09:00:00.000Z', expires_at: '2026-01-22T09:00:00.000Z' };
    expect(rest).toEqual({ email: EMAIL, role: 'editor', invited_by: 'Owner', mailed: false, ...when });
    expect(JSON.stringify(world.log)).not.toContain(url.split('=')[1]);

    const { signin } = world.product;
    const secret: string = url.split('=')[1];
    const words = { email: EMAIL, role: 'editor', invitedBy: 'Owner', owner: 'Owner' };
    expect(await signin.invitation(secret)).toEqual(words);
    const visitor = (await signin.visitor(await join(world, secret, 'Bea')))!;
    expect([visitor.email, visitor.role, visitor.caller.workspace.id]).toEqual([EMAIL, 'editor', world.workspaceId]);
    expect(await signin.invitation(secret)).toBeUndefined();
    expect(await join(world, secret)).toBe('auth.state_mismatch');
    const attempt = { email: EMAIL, password: PASSWORD, network: '203.0.113.0', device: undefined };
    expect((await signin.signIn(attempt)).token).toBeDefined();
  });

  it('refuses what is no address, the role of the owner, and addresses that are taken', async ({ world }) => {
    const ask = async (input: Record<string, unknown>) => call(world, 'invite_person', input, await owner(world));
    await expectRequired(ask({ role: 'editor' }), 'email');
    for (const email of ['bea', 'a b@example.org', '@example.org', `${'x'.repeat(250)}@e.org`])
      await expectInvalid(ask({ email, role: 'editor' }), 'email');
    for (const role of ['owner', 'boss']) await expectInvalid(ask({ email: EMAIL, role }), 'role');
    await world.product.modules.users.create('other@example.org', 'Other');
    await invite(world, 'viewer', EMAIL);
    for (const email of ['OTHER@example.org', EMAIL.toUpperCase(), 'owner@example.org'])
      await expectRefusal(ask({ email, role: 'editor' }), 'resource.conflict', { field: 'email' });
  });

  it('takes the two forms of a letter for the same', async ({ world }) => {
    await invite(world, 'viewer', 'zo\u00eb@example.org');
    const again = call(world, 'invite_person', { email: 'zoe\u0308@example.org', role: 'viewer' }, await owner(world));
    await expectRefusal(again, 'resource.conflict', { field: 'email' });
  });

  it('allows at most 100 people with those who are invited', async ({ world }) => {
    for (let n = 0; n < 99; n += 1) await invite(world, 'viewer', `${n}@example.org`);
    const more = async () => call(world, 'invite_person', { email: EMAIL, role: 'viewer' }, await owner(world));
    await expectRefusal(more(), 'resource.conflict', { max: 100 });
    world.clock.move(WEEK);
    expect((await more()).status).toBe(201);
  });

  it('is done once for an Idempotency-Key, and shows the link again', async ({ world }) => {
    const options = { ...(await owner(world)), headers: { 'Idempotency-Key': 'once' } };
    const ask = () => world.rest('POST /v1/people/invitations', { email: EMAIL, role: 'viewer' }, options);
    const [first, again] = [await ask(), await ask()];
    expect([first.status, again.body]).toEqual([201, first.body]);
  });
});

describe('the mail of an invitation', () => {
  const mailing = it.extend('world', async () => makeWorld({ mail: true }));
  const ask = async (world: World, email: string) =>
    (await call(world, 'invite_person', { email, role: 'editor' }, await owner(world))).body;

  mailing('says who invites to what, until when, and has the link', async ({ world }) => {
    const { url, mailed } = await ask(world, ' Bea@Example.org');
    expect(mailed).toBe(true);
    await world.settle();
    const [mail, ...others] = world.mails;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: EMAIL, subject: 'Invitation to a workspace on Rostra' });
    const { host } = new URL(world.root);
    expect(mail!.text).toContain(
      `Owner invites you to work on the social accounts of Owner on ${host}. To join, open this link:`,
    );
    expect(mail!.text).toContain(`\n${url}\n`);
    expect(mail!.text).toContain('Your role: Editor. Writes and publishes posts');
    expect(mail!.text).toContain('works once, until 2026-01-22 09:00 UTC.');
    expect(JSON.stringify(world.log)).not.toContain(url.split('=')[1]);
    expect((await join(world, url.split('=')[1])).length).toBe(64);
  });

  mailing('is not sent if the invitation is refused', async ({ world }) => {
    await ask(world, EMAIL);
    await ask(world, EMAIL);
    await world.settle();
    expect(world.mails).toHaveLength(1);
  });

  mailing.for([
    [
      'Anna\n\nYour\u202e password',
      'Anna Your password invites you to work on the social accounts of Anna Your password on',
    ],
    ['Your parcel: https://evil.example', 'Somebody invites you to work on the social accounts of somebody on'],
    ['evil.example', 'Somebody invites you'],
    ['J. R. Müller', 'J. R. Müller invites you'],
  ])('shows of the name %j only what a name is', async ([name, said], { world }) => {
    await world.product.store.write(({ db }) => updateUser(db, world.userId, { name }));
    await ask(world, EMAIL);
    await world.settle();
    expect(world.mails[0]!.text).toContain(said);
  });

  mailing('does not flood an address whose invitation is revoked and made again', async ({ world }) => {
    const key = await dashboardToken(world);
    const made = [];
    for (let n = 0; n < 7; n += 1) {
      const { id, mailed } = await ask(world, EMAIL);
      made.push(mailed);
      await call(world, 'revoke_invitation', { invitation_id: id }, { key });
    }
    expect(made).toEqual([true, true, true, true, true, false, false]);
    expect((await ask(world, 'carl@example.org')).mailed).toBe(true);
    await world.settle();
    expect(world.mails).toHaveLength(6);
    world.clock.move(2 * HOUR);
    expect((await ask(world, EMAIL)).mailed).toBe(true);
  });
});

test('nobody is invited where an identity provider says whose an address is', async () => {
  const { world } = await openIdentity();
  const ask = call(world, 'invite_person', { email: EMAIL, role: 'editor' }, await owner(world));
  await expectRefusal(ask, 'resource.conflict');
  const secret = 'a'.repeat(64);
  const at = world.clock.now();
  await world.product.store.write(({ db }) =>
    insertInvitation(db, {
      id: 'ivt_before',
      workspace_id: world.workspaceId,
      token_hash: sha256(secret),
      email: EMAIL,
      role: 'editor',
      invited_by: world.userId,
      created_at: at,
      expires_at: at + WEEK,
    }),
  );
  expect(await world.product.signin.invitation(secret)).toBeUndefined();
  expect(await join(world, secret)).toBe('auth.state_mismatch');
});

describe('the link of an invitation', () => {
  it('ends after a week', async ({ world }) => {
    const { secret } = await invite(world, 'editor', EMAIL);
    world.clock.move(WEEK - 1);
    expect(await world.product.signin.invitation(secret)).toBeDefined();
    world.clock.move(1);
    expect(await world.product.signin.invitation(secret)).toBeUndefined();
    expect(await join(world, secret)).toBe('auth.state_mismatch');
  });

  it.for([
    ['removed', 'remove_person', {}],
    ['no administrator any more', 'update_person', { role: 'editor' }],
  ] as const)('ends if the person who made it is %s', async ([, name, input], { world }) => {
    const { id, token } = await newMember(world, 'admin');
    const { secret } = await invite(world, 'admin', EMAIL, token);
    expect((await call(world, name, { user_id: id, ...input }, await owner(world))).ok).toBe(true);
    expect(await join(world, secret)).toBe('auth.state_mismatch');
    expect((await call(world, 'list_invitations', {}, await owner(world))).body.data).toEqual([]);
    // It stays closed, whatever becomes of the person.
    const { db } = world.product.store;
    expect(await db.selectFrom('invitations').select('id').execute()).toEqual([]);
    expect((await invite(world, 'viewer', EMAIL)).id).toMatch(/^ivt_/);
  });

  it('does not work while the person who made it is disabled', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const { secret } = await invite(world, 'viewer', EMAIL, token);
    const disable = (disabled_at: number | null) =>
      world.product.store.write((tx) => updateUser(tx.db, id, { disabled_at }));
    await disable(1);
    expect(await join(world, secret)).toBe('auth.state_mismatch');
    await disable(null);
    expect(await world.product.signin.invitation(secret)).toBeDefined();
  });

  it('stays if the address got another user meanwhile, and ends with the workspace', async ({ world }) => {
    const { secret } = await invite(world, 'editor', EMAIL);
    const other = (await world.product.modules.users.create(EMAIL, 'Bea'))!;
    expect(await join(world, secret)).toBe('validation.field_invalid');
    await world.product.modules.users.removeByOperator(other.userId);
    expect(await world.product.signin.invitation(secret)).toBeDefined();
    await world.product.modules.users.removeByOperator(world.userId);
    expect(await join(world, secret)).toBe('auth.state_mismatch');
  });

  it('is not guessed from its hash, and a weak password is refused before it is used up', async ({ world }) => {
    const { secret } = await invite(world, 'editor', EMAIL);
    for (const guess of ['', secret.slice(1), secret.toUpperCase(), `${secret} `])
      expect(await join(world, guess)).toBe('auth.state_mismatch');
    const weak = await world.product.signin.join(secret, { name: 'Bea', password: 'short' });
    expect(weak).toMatchObject({ code: 'validation.field_invalid', detail: { meta: { field: 'password' } } });
    expect(await world.product.signin.invitation(secret)).toBeDefined();
  });
});

describeStores('at the same time', (stores) => {
  test('a link is used by one of two, also while it is revoked', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const { id, secret } = await invite(world, 'editor', EMAIL);
    const key = await dashboardToken(world);
    const [one, two, revoked] = await Promise.all([
      join(world, secret, 'One'),
      join(world, secret, 'Two'),
      call(world, 'revoke_invitation', { invitation_id: id }, { key }),
    ]);
    const joined = [one, two].filter((answer) => /^[0-9a-f]{64}$/.test(answer));
    expect(joined.length + Number(revoked.ok)).toBe(1);
    const people = (await call(world, 'list_people', {}, { key })).body.data;
    expect(people).toHaveLength(1 + joined.length);
  });

  test('nobody joins a workspace that is being deleted', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const { secret } = await invite(world, 'editor', EMAIL);
    await Promise.all([join(world, secret), world.product.modules.users.removeByOperator(world.userId)]);
    const { db } = world.product.store;
    expect(await db.selectFrom('users').select('id').execute()).toEqual([]);
    expect(await db.selectFrom('invitations').select('id').execute()).toEqual([]);
  });

  test('invitations do not exceed the limit, and an address is invited once', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const key = await dashboardToken(world);
    for (let n = 0; n < 97; n += 1) await invite(world, 'viewer', `${n}@example.org`, key);
    const ask = (email: string) => call(world, 'invite_person', { email, role: 'viewer' }, { key });
    const made = await Promise.all([
      ask(EMAIL),
      ask(EMAIL),
      ask('x@example.org'),
      ask('y@example.org'),
      ask('z@example.org'),
    ]);
    expect(made.filter(({ ok }) => ok)).toHaveLength(2);
    expect((await call(world, 'list_invitations', { limit: 1 }, { key })).body.count).toBe(99);
  });
});
