import type { AliasedThing } from '#platforms/inbound.ts';
import type { Authority } from '#kernel/authority.ts';
import { deletePost } from '../posts/posts.ts';
import type { Row } from '../schema/database.ts';
import { byDialect, oneOf, type Dialect } from '../store/dialect.ts';
import { statement } from '../store/statement.ts';
import type { Db } from '../store/tx.ts';
import { countComments } from './comments.ts';
import { raiseCounts, renameInboxPost } from './posts.ts';

type AliasRow = Row<'aliases'>;

type Owner = Readonly<{ id: string; workspace_id: string }>;

/** Two ids of the same thing: the current one and an alias. */
export type SameThing = Readonly<{ thing: AliasedThing; platformId: string; alias: string }>;

export async function loadAliases(
  db: Db,
  dialect: Dialect,
  accountId: string,
  ids: readonly string[],
): Promise<Pick<AliasRow, 'thing' | 'alias' | 'platform_id'>[]> {
  return ids.length === 0 ? [] : (await amongAliases[dialect](db, { accountId, ids })).rows;
}

const amongAliases = byDialect((dialect) =>
  statement((db, slot: Readonly<{ accountId: string; ids: readonly string[] }>) =>
    db
      .selectFrom('aliases')
      .select(['thing', 'alias', 'platform_id'])
      .where('account_id', '=', slot.accountId)
      .where('thing', 'in', ['post', 'conversation', 'person'])
      .where(oneOf(dialect, 'alias', slot.ids)),
  ),
);

/** The things that an alias stands for in the visible accounts. */
export function findAliases(
  db: Db,
  { workspace, brands }: Authority,
  thing: AliasedThing,
  alias: string,
): Promise<Pick<AliasRow, 'account_id' | 'platform_id'>[]> {
  const query = db
    .selectFrom('aliases')
    .innerJoin('accounts', 'accounts.id', 'aliases.account_id')
    .select(['aliases.account_id', 'aliases.platform_id'])
    .where('aliases.workspace_id', '=', workspace)
    .where('aliases.alias', '=', alias)
    .where('aliases.thing', '=', thing);
  return (brands ? query.where('accounts.brand_id', 'in', brands) : query).execute();
}

/** Stores an alias. Existing aliases of it then point to the same thing. */
export async function insertAlias(db: Db, { id, workspace_id }: Owner, same: SameThing): Promise<void> {
  const { thing, platformId: platform_id, alias } = same;
  await db
    .updateTable('aliases')
    .set({ platform_id })
    .where('account_id', '=', id)
    .where('thing', '=', thing)
    .where('platform_id', '=', alias)
    .execute();
  await db
    .insertInto('aliases')
    .values({ account_id: id, workspace_id, thing, alias, platform_id })
    .onConflict((conflict) => conflict.columns(['account_id', 'thing', 'alias']).doUpdateSet({ platform_id }))
    .execute();
}

/** Gives a post its new id in targets, inbox and comments. A duplicate that was imported is deleted. */
export async function renamePost(db: Db, account: Owner, was: string, platformId: string): Promise<void> {
  const owner = { account_id: account.id, workspace_id: account.workspace_id };
  const targets = await db
    .selectFrom('targets')
    .innerJoin('posts', 'posts.id', 'targets.post_id')
    .select(['targets.id', 'targets.post_id', 'targets.platform_post_id', 'posts.source'])
    .where('targets.workspace_id', '=', owner.workspace_id)
    .where('targets.platform_post_id', 'in', [was, platformId])
    .where('targets.account_id', '=', owner.account_id)
    .execute();
  const imported = targets.filter((one) => one.platform_post_id === platformId && one.source === 'synced');
  if (imported.length < targets.length) for (const { post_id } of imported) await deletePost(db, post_id);
  const renamed = targets.filter(({ platform_post_id }) => platform_post_id === was).map(({ id }) => id);
  if (renamed.length > 0) {
    await db.updateTable('targets').set({ platform_post_id: platformId }).where('id', 'in', renamed).execute();
  }
  await db
    .updateTable('comments')
    .set({ platform_post_id: platformId })
    .where('account_id', '=', owner.account_id)
    .where('platform_post_id', '=', was)
    .where('gone_at', 'is', null)
    .execute();
  const gone = await renameInboxPost(db, { ...owner, platform_id: was }, platformId);
  await insertAlias(db, account, { thing: 'post', platformId, alias: was });
  if (gone === undefined) return;
  await insertAlias(db, account, { thing: 'post', platformId, alias: gone });
  const key = { account_id: account.id, platform_id: platformId };
  await raiseCounts(db, key, { comments: await countComments(db, account.id, platformId) });
}

export async function renamePerson(db: Db, account: Owner, was: string, platformId: string): Promise<void> {
  const theirs = db
    .selectFrom('conversations')
    .select('id')
    .where('account_id', '=', account.id)
    .where('participant_id', '=', was);
  await db
    .updateTable('messages')
    .set({ sender_id: platformId })
    .where('conversation_id', 'in', theirs)
    .where('sender_id', '=', was)
    .execute();
  await db
    .updateTable('conversations')
    .set({ participant_id: platformId })
    .where('account_id', '=', account.id)
    .where('participant_id', '=', was)
    .execute();
  await insertAlias(db, account, { thing: 'person', platformId, alias: was });
}
