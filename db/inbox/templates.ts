import type { Authority } from '#kernel/authority.ts';
import type { AccountRow } from '../access/accounts.ts';
import type { Row } from '../schema/database.ts';
import type { Db } from '../store/tx.ts';

/** The part of a template that is stored. */
export type RememberedTemplate = Pick<Row<'templates'>, 'id' | 'name' | 'language' | 'body'>;

type Owner = Pick<AccountRow, 'id' | 'workspace_id'>;

/** Stores the templates that an account now has on the platform. */
export async function rememberTemplates(
  db: Db,
  { id: account_id, workspace_id }: Owner,
  templates: readonly RememberedTemplate[],
): Promise<void> {
  if (templates.length === 0) return;
  await db
    .insertInto('templates')
    .values(templates.map((template) => ({ ...template, account_id, workspace_id })))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'id']).doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        language: eb.ref('excluded.language'),
        body: eb.ref('excluded.body'),
      })),
    )
    .execute();
}

export async function forgetTemplates(
  db: Db,
  accountId: string,
  which: Readonly<{ id: string } | { name: string }>,
): Promise<void> {
  const query = db.deleteFrom('templates').where('account_id', '=', accountId);
  await ('id' in which ? query.where('id', '=', which.id) : query.where('name', '=', which.name)).execute();
}

export async function templateOwners(db: Db, { workspace, brands }: Authority, id: string): Promise<readonly string[]> {
  const query = db
    .selectFrom('templates')
    .innerJoin('accounts', 'accounts.id', 'templates.account_id')
    .select('accounts.id')
    .where('templates.workspace_id', '=', workspace)
    .where('templates.id', '=', id);
  const rows = await (brands ? query.where('accounts.brand_id', 'in', brands) : query).execute();
  return rows.map((row) => row.id);
}

export function loadTemplate(
  db: Db,
  accountId: string,
  name: string,
  language: string,
): Promise<RememberedTemplate | undefined> {
  return db
    .selectFrom('templates')
    .select(['id', 'name', 'language', 'body'])
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .where('language', '=', language)
    .executeTakeFirst();
}
