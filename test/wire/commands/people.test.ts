import { expect, it } from 'vitest';
import { expectComplaint } from '../clients/product.ts';
import { useDataFolder } from './command.ts';

const { run, withStore, addUsers } = useDataFolder();
const PASSWORD = Buffer.from('correct horse battery\n');
const ANNA = 'anna@example.org';
const BEA = 'bea@example.org';

const add = (...more: readonly string[]) =>
  run(['user', 'create', '--email', BEA, '--password-stdin', ...more], PASSWORD);
const rolesIn = () =>
  withStore(async ({ db }) => {
    const rows = await db.selectFrom('users').select(['email', 'role']).orderBy('email').execute();
    return rows.map(({ email, role }) => `${email} ${role}`);
  });

it('adds a person to a workspace, gives them other roles, and deletes them alone', async () => {
  await addUsers(ANNA);
  expectComplaint(await add('--role', 'editor'), /--role needs --workspace-of/);
  expectComplaint(await add('--workspace-of', ANNA), /needs --role admin\|editor\|viewer/);
  expectComplaint(await add('--workspace-of', ANNA, '--role', 'owner'), /needs --role/);
  expectComplaint(await add('--workspace-of', 'no@example.org', '--role', 'editor'), /no such user/);
  expect((await add('--workspace-of', ANNA, '--role', 'editor')).stdout).toMatch(/^usr_\w+\n$/);
  expectComplaint(
    await add('--workspace-of', ANNA, '--role', 'editor'),
    /bea@example\.org is already in this workspace/,
  );
  expect((await run(['user', 'list'])).stdout).toMatch(/bea@example\.org +bea +editor +anna@example\.org +[\d-]+\n/);

  const give = (email: string, role: string) => run(['user', 'role', '--email', email, '--role', role]);
  expectComplaint(await give(ANNA, 'viewer'), /owns their workspace/);
  expectComplaint(await give(BEA, 'boss'), /needs --role owner\|admin\|editor\|viewer/);
  expect((await give(BEA, 'owner')).stdout).toBe(`${BEA} is owner of their workspace now.\n`);
  expect(await rolesIn()).toEqual([`${ANNA} admin`, `${BEA} owner`]);
  expect((await give(ANNA, 'owner')).stdout).toBe(`${ANNA} is owner of their workspace now.\n`);

  const remove = (...more: readonly string[]) => run(['user', 'delete', '--email', BEA, ...more]);
  expectComplaint(await remove(), /nothing else of the workspace; add --yes/);
  expect((await remove('--yes')).stdout).toBe(`${BEA} is deleted. The workspace stays.\n`);
  expect(await rolesIn()).toEqual([`${ANNA} owner`]);
  const tools = await withStore(({ db }) => db.selectFrom('audit').select(['tool']).orderBy('id').execute());
  expect(tools.map(({ tool }) => tool)).toEqual(['user_create', 'user_role', 'user_role', 'user_delete']);
});
