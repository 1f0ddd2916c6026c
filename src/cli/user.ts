import { openStore } from '../../db/open.ts';
import { productStore } from '../../db/store.ts';
import { placeOf } from '../compose.ts';
import { isPassword, makePasswords, PASSWORD_LENGTH } from '../engine/signin/passwords.ts';
import { makeUsers } from '../engine/users/index.ts';
import { ConfigError } from '../kernel/config.ts';
import { emailOf } from '../kernel/email.ts';
import { checkCanary } from '../keyring.ts';
import { openWorld } from './world.ts';

type Options = Readonly<{
  email?: string | undefined;
  password?: string | undefined;
  'password-stdin'?: boolean | undefined;
}>;

async function readPassword({ password, 'password-stdin': fromStdin }: Options): Promise<string> {
  if (password !== undefined) {
    process.stderr.write(
      'rostra: --password shows in the process list and the shell history; prefer --password-stdin\n',
    );
  }
  if (password === undefined && !fromStdin) throw new ConfigError('user create needs --password-stdin');
  let text = password ?? '';
  if (fromStdin) for await (const chunk of process.stdin) text += String(chunk);
  text = text.replace(/\r?\n$/, '');
  const { min, max } = PASSWORD_LENGTH;
  if (!isPassword(text)) throw new ConfigError(`the password must have ${min} to ${max} characters`);
  return text;
}

/** Makes a user with a workspace of its own; the password is kept as an argon2id hash. */
export async function createUser(options: Options): Promise<void> {
  const email = emailOf(options.email ?? '');
  if (email === undefined) throw new ConfigError('user create needs --email <address>');
  const password = await readPassword(options);
  const { config, clock, log, sealer } = openWorld({ logTo: process.stderr });
  const bare = await openStore(placeOf(config, log));
  try {
    await checkCanary(bare, sealer);
    const store = productStore(bare, clock);
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
  } finally {
    await bare.close();
  }
}
