import { expect, it } from 'vitest';
import { putRecord } from '#db/access/oauth.ts';
import { makePasswords } from '#engine/signin/passwords.ts';
import { makeWebSessions } from '#engine/signin/sessions.ts';
import { systemClock } from '#kernel/clock.ts';
import { expectComplaint } from '../clients/product.ts';
import { useDataFolder } from './command.ts';

const PASSWORD = 'Grüße, correct horse';

const { run, withStore, addUsers } = useDataFolder();

const user = (args: readonly string[], ...stdin: readonly Uint8Array[]) => run(['user', ...args], ...stdin);

/** Two users without a password, each with a session. */
async function furnish(): Promise<void> {
  const ids = await addUsers('anna@example.org', 'bob@example.org');
  await withStore(async (store) => {
    const sessions = makeWebSessions({ store, clock: systemClock });
    for (const id of Object.values(ids)) await store.write((tx) => sessions.begin(tx, id));
  });
}

const hashes = () =>
  withStore(async ({ db }) => {
    const rows = await db.selectFrom('users').select('password_hash').orderBy('email').execute();
    return rows.map(({ password_hash }) => password_hash ?? undefined);
  });

const signedIn = () =>
  withStore(async ({ db }) => {
    const rows = await db
      .selectFrom('web_sessions')
      .innerJoin('users', 'users.id', 'web_sessions.user_id')
      .select('users.email')
      .execute();
    return rows.map(({ email }) => email);
  });

const bytes = (text: string) => Buffer.from(text, 'utf8');

it('sets the password of a user who had none, replaces it, and ends their sessions alone', async () => {
  await furnish();
  const set = ['password', '--email', ' Anna@Example.org', '--password-stdin'];
  // The letter ü arrives in two parts.
  const all = bytes(`${PASSWORD}\r\n`);
  const first = await user(set, all.subarray(0, 3), all.subarray(3));
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^[^\n]*The password of anna@example\.org is set[^\n]*\n$/);
  const passwords = makePasswords();
  const [anna, bob] = await hashes();
  expect([await passwords.matches(PASSWORD, anna), bob]).toEqual([true, undefined]);
  expect(await signedIn()).toEqual(['bob@example.org']);

  expect((await user(set, bytes('another horse'))).code).toBe(0);
  const [again] = await hashes();
  expect(await passwords.matches('another horse', again)).toBe(true);
  expect(await passwords.matches(PASSWORD, again)).toBe(false);
});

it('disconnects the apps of that user with --end-apps', async () => {
  await furnish();
  await withStore(async (store) => {
    const people = await store.db.selectFrom('users').select(['id', 'email']).execute();
    for (const { id: user_id, email } of people) {
      const record = {
        id: email,
        grant_id: email,
        model: 'Grant',
        client_id: 'client_1',
        user_id,
        payload: {},
      } as const;
      await store.write(({ db }) => putRecord(db, { ...record, created_at: 0, expires_at: Date.now() * 2 }));
    }
  });
  const granted = () =>
    withStore(async ({ db }) =>
      (await db.selectFrom('oauth_records').select('id').orderBy('id').execute()).map(({ id }) => id),
    );
  const set = ['password', '--email', 'anna@example.org', '--password-stdin'];
  const { stdout } = await user(set, bytes(PASSWORD));
  expect(stdout).toContain('Connected apps stay connected (--end-apps disconnects them)');
  expect(await granted()).toEqual(['anna@example.org', 'bob@example.org']);
  expect((await user([...set, '--end-apps'], bytes(PASSWORD))).stdout).toContain('Connected apps are disconnected');
  expect(await granted()).toEqual(['bob@example.org']);
});

it('says in one line what it cannot do, and then does nothing', async () => {
  await furnish();
  const anna = ['--email', 'anna@example.org'];
  for (const [args, typed, says] of [
    [['--email', 'nobody@example.org', '--password-stdin'], PASSWORD, /there is no user nobody@example\.org/],
    [[...anna, '--password-stdin'], 'short\n', /10 to 256 characters/],
    [[...anna, '--password-stdin'], 'x'.repeat(257), /10 to 256 characters/],
    [[...anna, '--password-stdin'], '', /10 to 256 characters/],
    [anna, PASSWORD, /user password needs --password-stdin/],
    [[...anna, '--password', PASSWORD], '', /--password/],
    [['--password-stdin'], PASSWORD, /user password needs --email/],
    [['--email', 'anna', '--password-stdin'], PASSWORD, /user password needs --email/],
  ] as const)
    expectComplaint(await user(['password', ...args], bytes(typed)), says);
  expect(await hashes()).toEqual([undefined, undefined]);
  expect(await signedIn()).toEqual(['anna@example.org', 'bob@example.org']);
});

it('makes users as before', async () => {
  const create = ['create', '--email', 'eve@example.org', '--password-stdin'];
  expect((await user(create, bytes(`${PASSWORD}\n`))).stdout).toMatch(/^usr_\S+\n$/);
  expect(await makePasswords().matches(PASSWORD, (await hashes())[0])).toBe(true);
  expectComplaint(await user(create, bytes(PASSWORD)), /user eve@example\.org already exists/);
});
