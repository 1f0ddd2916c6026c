import { hold, type Dialect } from './dialect.ts';
import type { NewRow, Row } from './schema.ts';
import type { Db } from './tx.ts';

type InTransaction = Readonly<{ db: Db; dialect: Dialect }>;
export type OauthClientRow = Row<'oauth_clients'>;

/** The turn of whoever registers a client: without one, two processes would count the same rows. */
const TURN = 'oauth.registration';

/** Inside a transaction: makes all other registrations wait until it ends. */
export async function takeRegistrationTurn({ db, dialect }: InTransaction): Promise<void> {
  const row = { name: TURN, value: '' };
  await db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  await hold(dialect, db.selectFrom('settings').select('name').where('name', '=', TURN)).execute();
}

/** When the nth newest client was registered, from one address or from all; undefined when fewer were since then. */
export async function nthNewestClient(
  db: Db,
  { n, since, address }: Readonly<{ n: number; since: number; address?: string }>,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('oauth_clients')
    .select('created_at')
    .where('created_at', '>', since)
    .$if(address !== undefined, (query) => query.where('address', '=', address!))
    .orderBy('created_at', 'desc')
    .offset(n - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}

export async function insertClient(db: Db, row: NewRow<'oauth_clients'>): Promise<void> {
  await db.insertInto('oauth_clients').values(row).execute();
}

export function findClient(db: Db, id: string): Promise<OauthClientRow | undefined> {
  return db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Remembers that a user once approved a client. */
export async function markGranted(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('oauth_clients')
    .set({ granted_at: now })
    .where('id', '=', id)
    .where('granted_at', 'is', null)
    .execute();
}

/** The clients that can act for a user now, the one connected last first. */
export function listConnectedClients(db: Db, userId: string, now: number) {
  return db
    .selectFrom('oauth_records as token')
    .innerJoin('oauth_records as grant', (join) =>
      join.onRef('grant.grant_id', '=', 'token.grant_id').on('grant.model', '=', 'Grant'),
    )
    .leftJoin('oauth_clients as client', 'client.id', 'token.client_id')
    .where('token.user_id', '=', userId)
    .where('token.model', '=', 'RefreshToken')
    .where('token.spent_at', 'is', null)
    .where('token.expires_at', '>', now)
    .groupBy(['token.client_id', 'client.name', 'client.redirect_uris'])
    .select(({ fn }) => [
      'token.client_id',
      'client.name',
      'client.redirect_uris',
      fn.min('grant.created_at').as('connected_at'),
      fn.max('token.created_at').as('used_at'),
    ])
    .orderBy('connected_at', 'desc')
    .orderBy('token.client_id')
    .execute();
}

/** Ends everything a user gave a client; false when there was nothing. */
export async function deleteConnectedClient(db: Db, userId: string, clientId: string): Promise<boolean> {
  const result = await db
    .deleteFrom('oauth_records')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Removes up to `limit` clients registered before `before` that nobody ever approved or is being asked to. */
export async function sweepClients(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_clients')
    .where('id', 'in', (query) =>
      query
        .selectFrom('oauth_clients')
        .select('id')
        .where('granted_at', 'is', null)
        .where('created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauth_records')
                .select('oauth_records.id')
                .whereRef('oauth_records.client_id', '=', 'oauth_clients.id'),
            ),
          ),
        )
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
