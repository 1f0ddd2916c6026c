import { COMMAND, makeAudit } from '#engine/audit/index.ts';
import { makeKeys } from '#engine/keys/index.ts';
import { authorityOver } from '#kernel/authority.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { userNamed } from './users/named.ts';
import { withStore } from './with-store.ts';

type Options = Readonly<{
  name?: string | undefined;
  scopes?: string | undefined;
  brands?: string | undefined;
  email?: string | undefined;
}>;

/** Refuses an empty list, because it would remove the limit. */
function listOf(name: string, text: string | undefined): readonly string[] | undefined {
  const parts = text
    ?.split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts?.length === 0) throw new ConfigError(`${name} is empty; omit it for a key without that limit`);
  return parts;
}

/** Creates an API key of the owner, or of a named user; prints only the key. */
export async function createKey({ name, scopes, brands, email }: Options): Promise<void> {
  if (!name) throw new ConfigError('key create needs --name <what the key is for>');
  await withStore(async (store, { clock, log }) => {
    const owner = await userNamed(store, { email });
    const keys = makeKeys({ store, clock, forget: () => {} });
    const limits = { scopes: listOf('--scopes', scopes), brand_ids: listOf('--brands', brands) };
    const made = await keys.create(authorityOver(owner.workspace_id), owner.id, name, limits);
    const entry = { ...COMMAND, workspaceId: owner.workspace_id, userId: owner.id, client: 'rostra key create' };
    const audit = makeAudit({ store, clock, log });
    await audit.note({ ...entry, tool: 'create_key', act: 'admin', input: { name, ...limits } }, { effectId: made.id });
    process.stdout.write(made.raw_key + '\n');
  });
}
