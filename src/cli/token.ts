import { findUserByEmail } from '#db/access/users.ts';
import { makeKeys } from '#oauth/keys.ts';
import { makeTokens } from '#oauth/tokens.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { emailOf } from '#kernel/text/email.ts';
import { withStore } from './with-store.ts';

type Options = Readonly<{ user?: string | undefined }>;

export async function createToken({ user }: Options): Promise<void> {
  const email = emailOf(user ?? '');
  if (email === undefined) throw new ConfigError('token create needs --user <e-mail address>');
  await withStore(async (store, { config, clock, sealer }) => {
    const person = await findUserByEmail(store.db, email);
    if (person?.disabled_at !== null)
      throw new ConfigError(`there is no user ${email}, or they are disabled; \`rostra user list\` shows them`);
    const keys = makeKeys({ store, clock, sealer });
    const { token } = await makeTokens({ store, clock, rootUrl: config.rootUrl, keys }).signDashboardToken(person.id);
    process.stdout.write(token + '\n');
  });
}
