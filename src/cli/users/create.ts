import { findUserByEmail } from '#db/access/users.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { resetPassword } from '#engine/signin/change.ts';
import { makePasswords, passwordRefusal } from '#engine/signin/passwords.ts';
import { makeUsers } from '#engine/users/index.ts';
import { addPerson } from '#engine/users/standing.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { ApiError } from '#kernel/errors.ts';
import { GIVEN_ROLES } from '#kernel/people/roles.ts';
import { withStore } from '../with-store.ts';
import { addressOf, roleOf, userNamed } from './named.ts';

type Options = Readonly<{
  email?: string | undefined;
  password?: string | undefined;
  'password-stdin'?: boolean | undefined;
  'end-apps'?: boolean | undefined;
  'workspace-of'?: string | undefined;
  role?: string | undefined;
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

/** Creates a user with their own workspace, or as a person of somebody else's; prints the id. */
export async function createUser(options: Options): Promise<void> {
  const email = addressOf('user create', options);
  const { 'workspace-of': whose, role } = options;
  if (whose !== undefined) return addToWorkspace(email, whose, options);
  if (role !== undefined)
    throw new ConfigError('--role needs --workspace-of <address>: whoever has a workspace owns it');
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

async function addToWorkspace(email: string, whose: string, options: Options): Promise<void> {
  const role = roleOf('user create', options.role, GIVEN_ROLES);
  const password = await readPassword('user create', options);
  await withStore(async (store, { clock, log }) => {
    const { workspace_id: workspaceId } = await userNamed(store, { email: whose });
    const passwordHash = await makePasswords().hash(password);
    const added = { email, name: email.split('@')[0]!, passwordHash, role };
    const userId = await addPerson({ store, clock }, workspaceId, added).catch(asConfigError);
    const entry = { ...COMMAND, workspaceId, userId, client: 'rostra user create', tool: 'user_create' };
    await makeAudit({ store, clock, log }).note({ ...entry, input: { role } }, { effectId: userId });
    process.stdout.write(userId + '\n');
  });
}

/** A refusal of the engine, as a command says it. */
function asConfigError(error: unknown): never {
  throw error instanceof ApiError ? new ConfigError(error.message) : error;
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
