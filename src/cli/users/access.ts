import { deleteSessionsOf, listSessions } from '#db/access/signin.ts';
import { findOwner, listUsers } from '#db/access/users.ts';
import type { Store } from '#db/store/store.ts';
import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { makeKeys } from '#engine/keys/index.ts';
import { authorityOver } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { withStore } from '../with-store.ts';
import { userNamed, type Whose } from './named.ts';

/** Prints every user with their role, the owner of their workspace, and whether they own the server or are disabled. */
export async function printUsers(): Promise<void> {
  await withStore(async (store) => {
    const users = await listUsers(store.db);
    const owner = await findOwner(store.db);
    const owners = users.filter(({ role }) => role === 'owner');
    const addressOf = new Map(owners.map(({ workspace_id, email }) => [workspace_id, email]));
    const rows = users.map(({ id, email, name, role, workspace_id, created_at, disabled_at }) => [
      id,
      email,
      name,
      role,
      addressOf.get(workspace_id) ?? '',
      dayOf(created_at),
      stateOf({ isOwner: id === owner?.id, isDisabled: disabled_at !== null }),
    ]);
    print(['id', 'address', 'name', 'role', 'workspace of', 'since', ''], rows);
  });
}

/** Prints the API keys of the owner's workspace, or of a named user's. */
export async function printKeys(whose: Whose): Promise<void> {
  await withStore(async (store, { clock }) => {
    const { authority } = await ownerOf(store, whose);
    const data = await makeKeys({ store, clock, forget: () => {} }).list(authority);
    const rows = data.map(({ id, name, preview, scopes, is_active, last_used_at }) => [
      id,
      name,
      preview,
      scopes.length === 0 ? 'all' : scopes.join(','),
      last_used_at?.slice(0, 10) ?? 'never',
      is_active ? '' : 'revoked',
    ]);
    print(['id', 'name', 'key', 'scopes', 'last used', ''], rows);
  });
}

/** Revokes an API key; servers stop accepting it within a second. */
export async function revokeKey(id: string | undefined, whose: Whose): Promise<void> {
  if (id === undefined) throw new ConfigError('key revoke needs the id of a key, as `key list` shows it');
  await withStore(async (store, { clock, log }) => {
    const { authority, about } = await ownerOf(store, whose);
    await makeKeys({ store, clock, forget: () => {} }).revoke(authority, id);
    const entry = { ...COMMAND, ...about, client: 'rostra key revoke', tool: 'revoke_key', act: 'admin' } as const;
    await makeAudit({ store, clock, log }).note({ ...entry, input: { key_id: id } }, { effectId: id });
    process.stdout.write(`The key ${id} is revoked.\n`);
  });
}

export async function printSessions(whose: Whose): Promise<void> {
  await withStore(async (store, { clock }) => {
    const { userId } = await ownerOf(store, whose);
    const sessions = await listSessions(store.db, userId, clock.now());
    print(
      ['since', 'ends unless used'],
      sessions.map(({ created_at, expires_at }) => [isoTime(created_at), isoTime(expires_at)]),
    );
  });
}

/** Signs a user out of every browser. */
export async function endSessions({ email }: Whose): Promise<void> {
  if (email === undefined) throw new ConfigError('session end needs --email <address>');
  await withStore(async (store, { clock, log }) => {
    const { userId, about } = await ownerOf(store, { email });
    await store.write((tx) => deleteSessionsOf(tx.db, userId));
    const entry = { ...COMMAND, ...about, client: 'rostra session end', tool: 'sign_out' };
    await makeAudit({ store, clock, log }).note(entry);
    process.stdout.write(`${email} is signed out of every browser.\n`);
  });
}

async function ownerOf(store: Store, whose: Whose) {
  const { id: userId, workspace_id: workspaceId } = await userNamed(store, whose);
  return { userId, authority: authorityOver(workspaceId), about: { workspaceId, userId } };
}

function stateOf({ isOwner, isDisabled }: Readonly<{ isOwner: boolean; isDisabled: boolean }>): string {
  if (isOwner) return 'owns the server';
  return isDisabled ? 'disabled' : '';
}

const dayOf = (ms: number) => isoTime(ms).slice(0, 10);

/** Prints rows in columns under their names. */
function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]!.length)));
  const lines = all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
