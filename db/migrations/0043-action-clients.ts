import { sql, type Kysely } from 'kysely';

/** The name of the app or key that asked for an action, as it was then. Earlier ones take it from the audit. */
export const actionClients = Object.freeze({
  version: 43,
  name: 'action-clients',
  async up(db: Kysely<never>): Promise<void> {
    await sql`alter table actions add column client text`.execute(db);
    // The audit named apps by the id of their client.
    await sql`update actions set client = asked.client from (
      select audit.action_id, coalesce(app.name, audit.client) as client,
        row_number() over (partition by audit.action_id order by audit.at, audit.id) as place
      from audit left join oauth_clients as app on app.id = audit.client and audit.caller_kind = 'oauth'
      where audit.verdict = 'hold' and audit.action_id is not null
    ) as asked where asked.action_id = actions.id and asked.place = 1`.execute(db);
  },
});
