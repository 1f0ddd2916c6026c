import { sql, type Kysely } from 'kysely';

/** What a platform says in a conversation, which is no message of anybody. */
export const notices = Object.freeze({
  version: 22,
  name: 'notices',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table messages add column is_notice integer not null default 0`.execute(db);
  },
});
