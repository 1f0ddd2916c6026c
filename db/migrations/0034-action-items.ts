import { sql, type Kysely } from 'kysely';
import type { Dialect } from './table.ts';

/** What an action answers, and the media that were fetched for it; the post that it changes is in its input alone. */
export const actionItems = Object.freeze({
  version: 34,
  name: 'action-items',
  async up(db: Kysely<never>, dialect: Dialect): Promise<void> {
    const key = dialect === 'postgres' ? 'text collate "C"' : 'text';
    for (const statement of [
      'alter table actions drop column bound_post',
      `alter table actions add column item ${key}`,
      'alter table actions add column file_ids text',
      'create index actions_item on actions (connection_id, item) where open_key is not null and item is not null',
      'create index actions_files on actions (finished_at) where file_ids is not null',
    ])
      await sql.raw(statement).execute(db);
  },
});
