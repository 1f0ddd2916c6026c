import { resetPassword } from '../engine/signin/change.ts';
import { makePasswords, passwordRefusal } from '../engine/signin/passwords.ts';
import { makeUsers } from '../engine/users/index.ts';
import { ConfigError } from '../kernel/config/config.ts';
import { emailOf } from '../kernel/text/email.ts';
import { withStore } from './with-store.ts';

type Options = Readonly<{
  email?: string | undefined;
  password?: string | undefined;
  'password-stdin'?: boolean | undefined;
  'end-apps'?: boolean | undefined;
}>;

async function readPassword(command: string, { password, 'password-stdin': fromStdin }: Options): Promise<string> {
  if (password !== undefined) {
    process.stderr.write(
      'rostra: --password shows in the process list and the shell history; prefer --password-stdin\n',
    );
  }
  if (password === undefined && !fromStdin) throw new ConfigError(`${command} needs --password-stdin`);
  let text = password ?? '';
  // Decoded as one stream: a letter of several bytes may arrive in two parts.
  if (fromStdin) for await (const part of process.stdin.setEncoding('utf8')) text += String(part);
  text = text.replace(/\r?\n$/, '');
  const refusal = passwordRefusal(text);
  if (refusal) throw new ConfigError(refusal.message);
  return text;
}

function readEmail(command: string, { email: given = '' }: Options): string {
  const email = emailOf(given);
  if (email === undefined) throw new ConfigError(`${command} needs --email <address>`);
  return email;
}

/** Makes a user with a workspace of its own; the password is kept as an argon2id hash. */
export async function createUser(options: Options): Promise<void> {
  const email = readEmail('user create', options);
  const password = await readPassword('user create', options);
  await withStore(async (store, { clock, config }) => {
    const users = makeUsers({
      store,
      clock,
      defaultPlan: config.defaultPlan,
      revoke: async () => false,
      forget: () => {},
    });
    const made = await users.create(email, email.split('@')[0]!, await makePasswords().hash(password));
    if (!made) throw new ConfigError(`there is a user ${email} already`);
    process.stdout.write(made.userId + '\n');
  });
}

/** Sets the password of a user, also of one who had none, and ends all their sessions; connected apps where asked. */
export async function setPassword(options: Options): Promise<void> {
  const email = readEmail('user password', options);
  const password = await readPassword('user password', options);
  const endApps = options['end-apps'] === true;
  await withStore(async (store, { clock }) => {
    const done = await resetPassword({ store, clock, passwords: makePasswords() }, { email, password, endApps });
    if (!done) throw new ConfigError(`there is no user ${email}`);
    const apps = endApps ? 'are ended' : 'go on (--end-apps ends them)';
    process.stdout.write(`The password of ${email} is set, every browser is signed out, and connected apps ${apps}.\n`);
  });
}
