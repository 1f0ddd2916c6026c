import { describe, expect } from 'vitest';
import { HOUR, MINUTE } from '#kernel/clock.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { newMember } from '../../harness/calls/members.ts';
import { call, expectInvalid } from '../../harness/calls/operations.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { it as bare, makeWorld, type World } from '../../harness/world.ts';

const it = bare
  .extend('mailing', () => makeWorld({ mail: true }))
  .extend('alice', async ({ mailing }) => (await mailing.connect()).id as string);

const publish = ({ rest }: World, account: string, text: string) =>
  rest('POST /v1/posts', { text, account_ids: [account], publish_now: true });

/** The notifications that were mailed; invitations are mailed too. */
const notifications = ({ mails }: World) => mails.filter(({ text }) => text.includes('/dashboard/notifications'));

const subjects = (world: World) =>
  notifications(world)
    .map(({ to, subject }) => `${to}: ${subject}`)
    .toSorted();

/** Has the platform refuse a post, and the access of its account from then on. */
async function fail(world: World, account: string): Promise<string> {
  upset(world, 'revoked');
  return (await publish(world, account, 'Words of somebody')).body.id as string;
}

describeDashboardCallers('get_notifications');
describeDashboardCallers('set_notifications', { kinds: [] });

describe('notifications', () => {
  it('of a minute are one mail to each person, with what their role can do something about', async ({
    mailing: world,
    alice,
  }) => {
    await newMember(world, 'editor', { name: 'Bea' });
    await newMember(world, 'viewer');
    const post = await fail(world, alice);
    await world.settle();
    expect(notifications(world)).toEqual([]);
    await world.pass(MINUTE);
    expect(subjects(world)).toEqual([
      'editor@example.org: A post failed',
      'owner@example.org: 2 things need your attention',
    ]);
    const { text } = notifications(world).find(({ to }) => to === 'owner@example.org')!;
    expect(text.split('\n')).toEqual([
      'Hello Owner,',
      '',
      'A post failed:',
      `- A post was not published. ${world.root}/dashboard/posts/${post}`,
      '',
      'An account must be connected again:',
      `- bluesky @alice.sandbox.test must be connected again. ${world.root}/dashboard/accounts`,
      '',
      `Choose your notifications: ${world.root}/dashboard/notifications`,
    ]);
    expect(
      notifications(world)
        .map((mail) => mail.text)
        .join(),
    ).not.toContain('Words of somebody');
    await world.pass(HOUR);
    expect(notifications(world)).toHaveLength(2);
  });

  it('come at most every 15 minutes, and then all together', async ({ mailing: world }) => {
    const key = await leashedKey(world, 'ask');
    const account = await world.connect();
    const held = async (text: string) => {
      const input = { text, account_ids: [account.id], publish_now: true };
      const { body } = await world.rest('POST /v1/posts', input, { key });
      return body.id as string;
    };
    await held('one');
    await world.pass(MINUTE);
    expect(subjects(world)).toEqual(['owner@example.org: A request waits for you']);
    await held('two');
    await held('three');
    await world.pass(10 * MINUTE);
    expect(notifications(world)).toHaveLength(1);
    await world.pass(5 * MINUTE);
    expect(notifications(world).map(({ subject }) => subject)).toEqual([
      'A request waits for you',
      '2 requests wait for you',
    ]);
    expect(notifications(world)[1]!.text).toMatch(/- Asked for: create post http\S+\/review\/act_\w+\n/);
  });

  it('about what somebody has dealt with meanwhile are not mailed', async ({ mailing: world, alice }) => {
    const key = await leashedKey(world, 'ask');
    const { body } = await world.rest(
      'POST /v1/posts',
      { text: 'a', account_ids: [alice], publish_now: true },
      { key },
    );
    const token = await dashboardToken(world);
    const { etag } = (await call(world, 'get_action', { action_id: body.id }, { key: token })).body;
    expect((await call(world, 'deny_action', { action_id: body.id, etag }, { key: token })).ok).toBe(true);
    await world.pass(HOUR);
    expect(notifications(world)).toEqual([]);
  });

  it('list ten of a kind, and where all of them are', async ({ mailing: world, alice }) => {
    const key = await leashedKey(world, 'ask');
    for (let n = 0; n < 12; n += 1)
      await world.rest('POST /v1/posts', { text: `a ${n}`, account_ids: [alice], publish_now: true }, { key });
    await world.pass(MINUTE);
    const [{ subject, text }] = notifications(world) as [(typeof world.mails)[number]];
    expect([subject, text.split('\n- ').length - 1]).toEqual(['12 requests wait for you', 10]);
    expect(text).toContain(`All of them: ${world.root}/review\n`);
  });

  it('are not for people who are disabled, nor for those who do not want them', async ({ mailing: world, alice }) => {
    const bea = await newMember(world, 'editor');
    const cem = await newMember(world, 'admin');
    await call(world, 'set_notifications', { kinds: ['accounts'] }, { key: cem.token });
    await world.product.store.write(({ db }) =>
      db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', bea.id).execute(),
    );
    await fail(world, alice);
    await world.pass(MINUTE);
    expect(subjects(world)).toEqual([
      'admin@example.org: An account must be connected again',
      'owner@example.org: 2 things need your attention',
    ]);
  });

  it('are nothing that a server without mail keeps', async ({ world, account }) => {
    await fail(world, account.id);
    await world.pass(HOUR);
    const { db } = world.product.store;
    expect(await db.selectFrom('mail_notifications').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('jobs').select('kind').where('kind', '=', 'send_notifications').execute()).toEqual([]);
  });
});

describeStores('notifications', { kinds: ['file', 'postgres'] }, ({ open }) => {
  bare('are mailed once, though two processes do it at the same time', async () => {
    const world = await makeWorld({ mail: true, surroundings: { store: await open() } });
    const key = await leashedKey(world, 'ask');
    const { id } = await world.connect();
    await world.rest('POST /v1/posts', { text: 'a', account_ids: [id], publish_now: true }, { key });
    const { notifications: ours } = world.product.modules;
    await Promise.all([ours.send(world.workspaceId), ours.send(world.workspaceId)]);
    await world.settle();
    expect(subjects(world)).toEqual(['owner@example.org: A request waits for you']);
  });
});

describe('what people choose', () => {
  const shown = (body: { notifications: { kind: string; chosen: boolean }[] }) =>
    body.notifications.map(({ kind, chosen }) => `${chosen ? '+' : '-'}${kind}`);

  it.each([
    ['admin', ['+posts', '+accounts', '+requests']],
    ['editor', ['+posts', '+requests']],
  ] as const)('is everything for the role %s, until they choose', async (role, all) => {
    const world = await makeWorld();
    const { token, email } = await newMember(world, role);
    const { body } = await call(world, 'get_notifications', {}, { key: token });
    expect([body.mail, body.email, shown(body)]).toEqual([false, email, all]);
    const { body: fewer } = await call(world, 'set_notifications', { kinds: ['requests', 'requests'] }, { key: token });
    expect(shown(fewer)).toEqual(all.map((one) => (one === '+requests' ? one : one.replace('+', '-'))));
    expect((await call(world, 'get_notifications', {}, { key: token })).body).toEqual(fewer);
    await call(world, 'set_notifications', { kinds: [] }, { key: token });
    expect(shown((await call(world, 'get_notifications', {}, { key: token })).body).join()).not.toContain('+');
  });

  it('is kept for what another role of theirs was told of', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const owner = await dashboardToken(world);
    await call(world, 'set_notifications', { kinds: ['accounts'] }, { key: token });
    await call(world, 'update_person', { user_id: id, role: 'editor' }, { key: owner });
    await call(world, 'set_notifications', { kinds: ['posts'] }, { key: token });
    await call(world, 'update_person', { user_id: id, role: 'admin' }, { key: owner });
    expect(shown((await call(world, 'get_notifications', {}, { key: token })).body)).toEqual([
      '+posts',
      '+accounts',
      '-requests',
    ]);
  });

  it('is one of the kinds', async ({ world }) => {
    const key = await dashboardToken(world);
    await expectInvalid(call(world, 'set_notifications', { kinds: ['weather'] }, { key }), 'kinds.0');
  });
});
