import { findOwner, findUserByEmail, listPeople, type UserRow } from '#db/access/users.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { disableUser, enableUser, giveRole, makeOwner, type Refusal } from '#engine/users/standing.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { ALL_ROLES, wordsOf } from '#kernel/people/roles.ts';
import { withProduct } from '../with-product.ts';
import { withStore } from '../with-store.ts';
import { openWorld } from '../world.ts';
import { addressOf, roleOf, type Whose } from './named.ts';

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

/** Gives a user another role in their workspace. */
export async function changeRole({
  role: given,
  ...whose
}: Whose & Readonly<{ role?: string | undefined }>): Promise<void> {
  const role = roleOf('user role', given, ALL_ROLES);
  const doneLine = (email: string) => `${email} is ${wordsOf(role).title.toLowerCase()} of their workspace now.`;
  await change('role', (deps, email) => giveRole(deps, email, role), doneLine, { role })(whose);
}

/** Removes an owner with everything in their workspace, anybody else alone. */
export async function remove({
  yes = false,
  ...whose
}: Whose & Readonly<{ yes?: boolean | undefined }>): Promise<void> {
  const email = addressOf('user delete', whose);
  const world = openWorld({ logTo: process.stderr });
  await withProduct(world, async ({ store, modules }) => {
    const user = await findUserByEmail(store.db, email);
    if (user === undefined) throw new ConfigError(WHY.unknown(email));
    if ((await findOwner(store.db))?.id === user.id) throw new ConfigError(WHY.owner(email));
    const isOwner = user.role === 'owner';
    if (!yes) {
      const others = (await listPeople(store.db, { workspace: user.workspace_id })).length - 1;
      const people = others === 0 ? '' : ` and its ${others} other people`;
      throw new ConfigError(
        isOwner
          ? `this deletes ${email} with every post, message, file and account of their workspace${people}, for good; add --yes`
          : `this deletes ${email} with their sessions, apps and API keys, and nothing else of the workspace; add --yes`,
      );
    }
    await modules.users.removeByOperator(user.id);
    // The audit of an owner is gone with the workspace.
    if (!isOwner) await noteChange({ store, ...world }, user, 'delete');
    const what = isOwner ? 'and everything of their workspace are deleted' : 'is deleted. The workspace stays';
    process.stdout.write(`${email} ${what}.\n`);
  });
}

const WHY: Readonly<Record<Refusal, (email: string) => string>> = Object.freeze({
  unknown: (email) => `there is no user ${email}; \`rostra user list\` shows them`,
  owner: (email) => `${email} owns the server; make somebody else the owner first (\`rostra user owner\`)`,
  disabled: (email) => `${email} is disabled; enable them first (\`rostra user enable\`)`,
  owns_workspace: (email) =>
    `${email} owns their workspace; make another person of it the owner (\`rostra user role --role owner\`)`,
  no_password: (email) => `${email} has no password; set one first (\`rostra user password\`)`,
});

function change(
  command: 'disable' | 'enable' | 'owner' | 'role',
  act: typeof disableUser,
  doneLine: (email: string) => string,
  input: object = {},
) {
  return async (whose: Whose): Promise<void> => {
    const email = addressOf(`user ${command}`, whose);
    await withStore(async (store, { clock, log }) => {
      const { user, refused } = await act({ store, clock }, email);
      if (refused !== undefined) throw new ConfigError(WHY[refused](email));
      await noteChange({ store, clock, log }, user, command, input);
      process.stdout.write(`${doneLine(email)}\n`);
    });
  };
}

/** Records a command about a user in the audit. */
async function noteChange(
  deps: Parameters<typeof makeAudit>[0],
  { id: userId, workspace_id: workspaceId }: UserRow,
  command: string,
  input: object = {},
): Promise<void> {
  const entry = { workspaceId, userId, tool: `user_${command}`, input };
  await makeAudit(deps).note({ ...COMMAND, ...entry, client: `rostra user ${command}` });
}
