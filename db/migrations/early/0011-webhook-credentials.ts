import { sql, type Kysely } from 'kysely';

/** User and password of a webhook address, sealed; those in addresses of before are moved there by the next start. */
export const webhookCredentials = Object.freeze({
  version: 11,
  name: 'webhook-credentials',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table endpoints add column credentials text`.execute(db);
  },
});
