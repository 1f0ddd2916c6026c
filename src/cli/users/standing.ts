import { findOwner, findUserByEmail } from '#db/access/users.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { disableUser, enableUser, makeOwner, type Refusal } from '#engine/users/standing.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { withProduct } from '../with-product.ts';
import { withStore } from '../with-store.ts';
import { openWorld } from '../world.ts';
import { addressOf, type Whose } from './named.ts';

/** Refuses all requests of a user until they are enabled again. */
export const disable = change(
  'disable',
  disableUser,
  (email) => `${email} is disabled: signed out, apps disconnected, keys refused. What is planned still goes out.`,
);

/** Lets a disabled user in again. */
export const enable = change(
  'enable',
  enableUser,
  (email) => `${email} may sign in again. Their keys work; their apps have to be connected again.`,
);

export const own = change('owner', makeOwner, (email) => `${email} owns the server now.`);

/** Removes a user with everything in their workspace; their accounts are disconnected on the platforms. */
export async function remove({
  yes = false,
  ...whose
}: Whose & Readonly<{ yes?: boolean | undefined }>): Promise<void> {
  const email = addressOf('user delete', whose);
  await withProduct(openWorld({ logTo: process.stderr }), async ({ store, modules }) => {
    const user = await findUserByEmail(store.db, email);
    if (user === undefined) throw new ConfigError(WHY.unknown(email));
    if ((await findOwner(store.db))?.id === user.id) throw new ConfigError(WHY.owner(email));
    if (!yes)
      throw new ConfigError(
        `this deletes ${email} with every post, message, file and account of their workspace, for good; add --yes`,
      );
    await modules.users.removeByOperator(user.id);
    process.stdout.write(`${email} and everything of their workspace are deleted.\n`);
  });
}

const WHY: Readonly<Record<Refusal, (email: string) => string>> = Object.freeze({
  unknown: (email) => `there is no user ${email}; \`rostra user list\` shows them`,
  owner: (email) => `${email} owns the server; make somebody else the owner first (\`rostra user owner\`)`,
  disabled: (email) => `${email} is disabled; enable them first (\`rostra user enable\`)`,
  no_password: (email) => `${email} has no password; set one first (\`rostra user password\`)`,
});

function change(command: 'disable' | 'enable' | 'owner', act: typeof disableUser, doneLine: (email: string) => string) {
  return async (whose: Whose): Promise<void> => {
    const email = addressOf(`user ${command}`, whose);
    await withStore(async (store, { clock, log }) => {
      const { user, refused } = await act({ store, clock }, email);
      if (refused !== undefined) throw new ConfigError(WHY[refused](email));
      const entry = { workspaceId: user.workspace_id, userId: user.id, tool: `user_${command}`, input: {} };
      await makeAudit({ store, clock, log }).note({ ...COMMAND, ...entry, client: `rostra user ${command}` });
      process.stdout.write(`${doneLine(email)}\n`);
    });
  };
}
