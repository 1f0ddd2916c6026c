import { findOwner, findUserByEmail, type UserRow } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import type { Role } from '#kernel/people/roles.ts';
import { emailOf } from '#kernel/text/email.ts';

export type Whose = Readonly<{ email?: string | undefined }>;

/** The address of `--email`, which the command requires. */
export function addressOf(command: string, { email: given = '' }: Whose): string {
  const email = emailOf(given);
  if (email === undefined) throw new ConfigError(`${command} needs --email <address>`);
  return email;
}

/** The role of `--role`, which the command requires. */
export function roleOf<R extends Role>(command: string, given: string | undefined, roles: readonly R[]): R {
  const role = roles.find((one) => one === given);
  if (role === undefined) throw new ConfigError(`${command} needs --role ${roles.join('|')}`);
  return role;
}

/** The user of `--email`; without it, the owner of the server. */
export async function userNamed({ db }: Store, { email }: Whose): Promise<UserRow> {
  const user = email === undefined ? await findOwner(db) : await findUserByEmail(db, emailOf(email) ?? '');
  if (user === undefined) throw new ConfigError('no such user; `user list` shows them, and `user create` adds one');
  return user;
}
