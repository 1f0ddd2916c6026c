import { findOwner, findUserByEmail, type UserRow } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { disableUser, enableUser, makeOwner, type Refusal } from '#engine/users/standing.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { emailOf } from '#kernel/text/email.ts';
import { withProduct } from '../with-product.ts';
import { withStore } from '../with-store.ts';
import { openWorld, type CliWorld } from '../world.ts';

type Whom = Readonly<{ email?: string | undefined }>;

/** Refuses all requests of a user until they are enabled again. */
export const disable = (whom: Whom) =>
  change('disable', whom, async (email, deps) => {
    const { user } = await settled(email, disableUser(deps, email));
    return {
      user,
      line: `${email} is disabled: signed out, apps disconnected, keys refused. What is planned still goes out.`,
    };
  });

/** Lets a disabled user in again. */
export const enable = (whom: Whom) =>
  change('enable', whom, async (email, deps) => {
    const { user } = await settled(email, enableUser(deps, email));
    return { user, line: `${email} may sign in again. Their keys work; their apps have to be connected again.` };
  });

export const own = (whom: Whom) =>
  change('owner', whom, async (email, deps) => {
    const { user } = await settled(email, makeOwner(deps, email));
    return { user, line: `${email} owns the server now.` };
  });

/** Removes a user with everything in their workspace; their accounts are disconnected on the platforms. */
export async function remove({ yes = false, ...whom }: Whom & Readonly<{ yes?: boolean | undefined }>): Promise<void> {
  const email = addressOf('delete', whom);
  await withProduct(openWorld({ logTo: process.stderr }), async ({ store, modules }) => {
    const user = await findUserByEmail(store.db, email);
    if (user === undefined) throw new ConfigError(WHY.unknown(email));
    if ((await findOwner(store.db))?.id === user.id) throw new ConfigError(WHY.owner(email));
    if (!yes)
      throw new ConfigError(
        `this deletes ${email} with every post, message, file and account of their workspace, for good; add --yes`,
      );
    await modules.users.remove({ userId: user.id });
    process.stdout.write(`${email} and everything of their workspace are deleted.\n`);
  });
}

const WHY: Readonly<Record<Refusal, (email: string) => string>> = Object.freeze({
  unknown: (email) => `there is no user ${email}; \`rostra user list\` shows them`,
  owner: (email) => `${email} owns the server; make somebody else the owner first (\`rostra user owner\`)`,
  disabled: (email) => `${email} is disabled; enable them first (\`rostra user enable\`)`,
  no_password: (email) => `${email} has no password; set one first (\`rostra user password\`)`,
});

async function settled(email: string, outcome: ReturnType<typeof enableUser>) {
  const { user, refused } = await outcome;
  if (refused !== undefined) throw new ConfigError(WHY[refused](email));
  return { user };
}

function addressOf(command: string, { email: given = '' }: Whom): string {
  const email = emailOf(given);
  if (email === undefined) throw new ConfigError(`user ${command} needs --email <address>`);
  return email;
}

async function change(
  command: 'disable' | 'enable' | 'owner',
  whom: Whom,
  act: (
    email: string,
    deps: Readonly<{ store: Store; clock: CliWorld['clock'] }>,
  ) => Promise<Readonly<{ user: UserRow; line: string }>>,
): Promise<void> {
  const email = addressOf(command, whom);
  await withStore(async (store, { clock, log }) => {
    const { user, line } = await act(email, { store, clock });
    const entry = { workspaceId: user.workspace_id, userId: user.id, tool: `user_${command}`, input: {} };
    await makeAudit({ store, clock, log }).note({ ...COMMAND, ...entry, client: `rostra user ${command}` });
    process.stdout.write(`${line}\n`);
  });
}
