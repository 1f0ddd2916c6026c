import { sql, type Kysely } from 'kysely';

/** Fingerprints are in no order, so an index of them costs each insert a page; of drafts, only imports ask for them. */
export const draftFingerprints = Object.freeze({
  version: 38,
  name: 'draft-fingerprints',
  async up(db: Kysely<never>): Promise<void> {
    await sql`drop index targets_fingerprint`.execute(db);
    await sql`create index targets_fingerprint on targets (account_id, fingerprint, created_at)
      where status <> 'pending'`.execute(db);
    await sql`create index targets_drafted on targets (account_id, created_at, fingerprint)
      where status = 'pending'`.execute(db);
  },
});
