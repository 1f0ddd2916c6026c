import { findUserByEmail } from '#db/access/users.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { resetPassword } from '#engine/signin/change.ts';
import { makePasswords, passwordRefusal } from '#engine/signin/passwords.ts';
import { makeUsers } from '#engine/users/index.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { withStore } from '../with-store.ts';
import { addressOf } from './named.ts';

type Options = Readonly<{
  email?: string | undefined;
  password?: string | undefined;
  'password-stdin'?: boolean | undefined;
  'end-apps'?: boolean | undefined;
}>;

async function readPassword(command: string, { password, 'password-stdin': fromStdin }: Options): Promise<string> {
  if (password !== undefined) {
    process.stderr.write(
      'rostra: --password is visible in the process list and the shell history; prefer --password-stdin\n',
    );
  }
  if (password === undefined && !fromStdin) throw new ConfigError(`${command} needs --password-stdin`);
  let text = password ?? '';
  // Decoded as one stream: a multi-byte character may be split.
  if (fromStdin) for await (const part of process.stdin.setEncoding('utf8')) text += String(part);
  text = text.replace(/\r?\n$/, '');
  const refusal = passwordRefusal(text);
  if (refusal) throw new ConfigError(refusal.message);
  return text;
}

/** Creates a user with a workspace and prints its id. */
export async function createUser(options: Options): Promise<void> {
  const email = addressOf('user create', options);
  const password = await readPassword('user create', options);
  await withStore(async (store, { clock, config }) => {
    const users = makeUsers({
      store,
      clock,
      defaultPlan: config.defaultPlan,
      readyRevoke: async () => async () => {},
      forget: () => {},
    });
    const made = await users.create(email, email.split('@')[0]!, await makePasswords().hash(password));
    if (!made) throw new ConfigError(`user ${email} already exists`);
    process.stdout.write(made.userId + '\n');
  });
}

/** Sets a user's password and ends their sessions; with `end-apps` also their connected apps. */
export async function setPassword(options: Options): Promise<void> {
  const email = addressOf('user password', options);
  const password = await readPassword('user password', options);
  const endApps = options['end-apps'] === true;
  await withStore(async (store, { clock, log }) => {
    const done = await resetPassword({ store, clock, passwords: makePasswords() }, { email, password, endApps });
    const user = await findUserByEmail(store.db, email);
    if (!done || user === undefined)
      throw new ConfigError(`there is no user ${email}; \`rostra user list\` shows them`);
    await makeAudit({ store, clock, log }).note({
      ...COMMAND,
      workspaceId: user.workspace_id,
      userId: user.id,
      client: 'rostra user password',
      tool: 'set_password',
      input: { end_apps: endApps },
    });
    const apps = endApps
      ? 'Connected apps are disconnected'
      : 'Connected apps stay connected (--end-apps disconnects them)';
    process.stdout.write(`The password of ${email} is set and every browser is signed out. ${apps}.\n`);
  });
}
