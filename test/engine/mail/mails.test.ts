import { expect, it } from 'vitest';
import type { Base } from '#call/ports.ts';
import { makeMails } from '#engine/mail/index.ts';
import { MailError, type OutgoingMail } from '#engine/mail/transport.ts';
import { HOUR, MINUTE } from '#kernel/clock.ts';
import type { Mail } from '#kernel/people/mail.ts';
import { makeSealer } from '#kernel/seal.ts';
import { updateUser } from '#db/access/users.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { newMember } from '../../harness/calls/members.ts';
import { call } from '../../harness/calls/operations.ts';
import { makeWorld, type World, type WorldOptions } from '../../harness/world.ts';

const SECRET = 'the-token-of-a-link';

/** Queues a mail about something in the workspace, as an operation does. */
function queue({ product, workspaceId, clock }: World, more: Partial<Mail> = {}): Promise<void> {
  const mail: Mail = {
    workspaceId,
    userId: null,
    kind: 'password',
    to: 'anna@example.org',
    subject: 'A new password',
    text: `Open https://social.example.org/new-password?token=${SECRET}`,
    expiresAt: clock.now() + HOUR,
    ...more,
  };
  return product.store.write((tx) => product.mails.queue!(tx, mail));
}

const waiting = async ({ product }: World) =>
  (await product.store.db.selectFrom('mails').select('id').orderBy('id').execute()).length;

/** A world whose mail server answers each attempt as told, and takes a mail once there is nothing to tell any more. */
async function worldWith(...refusals: readonly Error[]) {
  const tries: OutgoingMail[] = [];
  async function send(mail: OutgoingMail): Promise<void> {
    tries.push(mail);
    const refusal = refusals[tries.length - 1];
    if (refusal) throw refusal;
  }
  const options: WorldOptions = { mail: true, surroundings: { mailTransport: { send } } };
  return { world: await makeWorld(options), tries };
}

it('a mail is sent after the commit, once, and not kept', async () => {
  const world = await makeWorld({ mail: true });
  await queue(world);
  await world.settle();
  expect(world.mails).toMatchObject([{ to: 'anna@example.org', subject: 'A new password' }]);
  expect(await waiting(world)).toBe(0);
  await world.pass(HOUR);
  expect(world.mails).toHaveLength(1);
  expect(world.log.join('\n')).not.toContain(SECRET);
});

it('a mail that waits is encrypted', async () => {
  const { world } = await worldWith(new MailError('busy', false));
  await queue(world);
  const stored = JSON.stringify(await world.product.store.db.selectFrom('mails').selectAll().execute());
  expect([stored.includes(SECRET), stored.includes('anna'), stored.includes('sealed')]).toEqual([false, false, true]);
});

it('nothing is sent of a transaction that fails', async () => {
  const world = await makeWorld({ mail: true });
  const failing = world.product.store.write(async (tx) => {
    await world.product.mails.queue!(tx, {
      workspaceId: world.workspaceId,
      userId: null,
      kind: 'notification',
      to: 'anna@example.org',
      subject: 'Never',
      text: 'Never',
      expiresAt: world.clock.now() + HOUR,
    });
    throw new Error('undone');
  });
  await expect(failing).rejects.toThrow('undone');
  await world.settle();
  expect(world.mails).toEqual([]);
});

it('what the mail server says is logged without the recipient and the link', async () => {
  const quoted = `refused: <anna@example.org> https://social.example.org/new-password?token=${SECRET} is blocked`;
  const { world } = await worldWith(new MailError(quoted, false), new MailError(quoted, true));
  await queue(world);
  await world.settle();
  await world.pass(5_000);
  const log = world.log.join('\n');
  expect(log).toMatch(/refused: <\[recipient\]> \[link\] is blocked/);
  expect([log.includes(SECRET), log.includes('anna@example.org'), await waiting(world)]).toEqual([false, false, 0]);
});

it('a mail is not sent to somebody who was disabled or removed meanwhile', async () => {
  const tries: string[] = [];
  const send = async ({ to, subject }: OutgoingMail) => {
    if (subject === 'A new password') tries.push(to);
    throw new MailError('busy', false);
  };
  const world = await makeWorld({ mail: true, surroundings: { mailTransport: { send } } });
  const [bea, cem] = [await newMember(world, 'editor'), await newMember(world, 'viewer')];
  for (const { id, email } of [bea, cem]) await queue(world, { userId: id, to: email });
  await world.settle();
  expect(tries.toSorted()).toEqual([bea.email, cem.email].toSorted());
  await world.product.store.write((tx) => updateUser(tx.db, bea.id, { disabled_at: 1 }));
  const { ok } = await call(world, 'remove_person', { user_id: cem.id }, { key: await dashboardToken(world) });
  expect(ok).toBe(true);
  await world.pass(5_000);
  await world.pass(30_000);
  expect(tries).toHaveLength(2);
});

it('a mail waits in a process without a mail server for one that has one', async () => {
  const { world, tries } = await worldWith(new MailError('busy', false));
  await queue(world);
  await world.settle();
  const { clock, product } = world;
  const ignored = { log: { warn: () => undefined }, meter: { count: () => undefined } } as never as Pick<
    Base,
    'log' | 'meter'
  >;
  const sealer = makeSealer(['11'.repeat(32)]);
  const without = makeMails({ store: product.store, clock, sealer, transport: undefined, ...ignored });
  const { id } = await product.store.db.selectFrom('mails').select('id').executeTakeFirstOrThrow();
  expect(await without.send(id)).toEqual({ again: MINUTE });
  await world.pass(5_000);
  expect([tries.length, await waiting(world)]).toEqual([2, 0]);
});

it('without a mail server nothing can be queued', async () => {
  const world = await makeWorld();
  expect(world.product.mails.queue).toBeUndefined();
});

it('a mail that the server does not take now is tried again, under the same id', async () => {
  const { world, tries } = await worldWith(new MailError('busy', false), new Error('no route'));
  await queue(world);
  await world.settle();
  expect([tries.length, await waiting(world)]).toEqual([1, 1]);
  await world.pass(5_000);
  await world.pass(30_000);
  expect([tries.length, new Set(tries.map(({ id }) => id)).size, await waiting(world)]).toEqual([3, 1, 0]);
  expect(world.log.join('\n')).not.toContain(SECRET);
});

it('a mail that the server never takes is given up at once, and the events log says so', async () => {
  const { world, tries } = await worldWith(new MailError('no such mailbox', true));
  await queue(world, { kind: 'invitation' });
  await world.settle();
  await world.pass(HOUR);
  expect([tries.length, await waiting(world)]).toEqual([1, 0]);
  const { body } = await world.rest('GET /v1/events');
  expect(body.data).toContainEqual(
    expect.objectContaining({ summary: 'An invitation could not be mailed', status: 'failed' }),
  );
  expect(world.log.some((line) => line.includes('a mail was not sent') && line.includes('no such mailbox'))).toBe(true);
});

it('a mail is not sent any more once it has expired', async () => {
  const { world, tries } = await worldWith(...Array.from({ length: 20 }, () => new MailError('down', false)));
  await queue(world);
  for (let minutes = 0; minutes < 180; minutes += 10) await world.pass(10 * MINUTE);
  const before = tries.length;
  expect([before > 3, before < 10, await waiting(world)]).toEqual([true, true, 0]);
  await world.pass(HOUR);
  expect(tries).toHaveLength(before);
});

it('a mail of a workspace that was deleted meanwhile is not sent', async () => {
  const { world, tries } = await worldWith(new MailError('busy', false));
  await queue(world);
  await world.settle();
  expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
  await world.pass(MINUTE);
  expect([tries.length, await waiting(world)]).toEqual([1, 0]);
});
