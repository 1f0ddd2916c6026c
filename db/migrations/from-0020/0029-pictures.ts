import { sql, type Kysely } from 'kysely';

/** What stored pictures have that platforms may not take, and as what targets published theirs. */
export const pictures = Object.freeze({
  version: 29,
  name: 'pictures',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table media add column traits text`.execute(db);
    await sql`alter table targets add column converted text`.execute(db);
  },
});
