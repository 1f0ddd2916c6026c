import { hold } from '../store/dialect.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db, Queryable } from '../store/tx.ts';

export type OauthClientRow = Row<'oauth_clients'>;

/** Registrations take turns, because two processes would otherwise count the same rows. */
const TURN = 'oauth.registration';

/** Holds back all other registrations until the transaction ends. */
export async function takeRegistrationTurn({ db, dialect }: Queryable): Promise<void> {
  const row = { name: TURN, value: '' };
  await db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  await hold(dialect, db.selectFrom('settings').select('name').where('name', '=', TURN)).execute();
}

/** When the nth newest client from a network address was registered; undefined if there are fewer. */
export async function nthNewestClient(
  db: Db,
  { n, since, address }: Readonly<{ n: number; since: number; address: string }>,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('oauth_clients')
    .select('created_at')
    .where('created_at', '>', since)
    .where('address', '=', address)
    .orderBy('created_at', 'desc')
    .offset(n - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}

/** Clients that have neither a grant nor an open consent request. */
function unusedClients(db: Db) {
  return db
    .selectFrom('oauth_clients')
    .where('granted_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('oauth_records')
            .select('oauth_records.id')
            .whereRef('oauth_records.client_id', '=', 'oauth_clients.id'),
        ),
      ),
    );
}

/** Makes room for a client. If `most` are unused, the address with the most of them loses its oldest. */
export async function evictClient(db: Db, { most, since }: Readonly<{ most: number; since: number }>): Promise<void> {
  const recent = () => unusedClients(db).where('created_at', '>', since);
  const { count } = await recent()
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) < most) return;
  const noisiest = recent()
    .select('address')
    .groupBy('address')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy(({ fn }) => fn.min('created_at'))
    .limit(1);
  const oldest = recent().select('id').where('address', '=', noisiest).orderBy('created_at').orderBy('id').limit(1);
  await db.deleteFrom('oauth_clients').where('id', '=', oldest).execute();
}

export function clientNamed(db: Db, slot: { id: string }) {
  return db.selectFrom('oauth_clients').select('name').where('id', '=', slot.id);
}

export async function insertClient(db: Db, row: NewRow<'oauth_clients'>): Promise<void> {
  await db.insertInto('oauth_clients').values(row).execute();
}

export function findClient(db: Db, id: string): Promise<OauthClientRow | undefined> {
  return db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Records that a user has approved the client, if none had before. */
export async function markGranted(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('oauth_clients')
    .set({ granted_at: now })
    .where('id', '=', id)
    .where('granted_at', 'is', null)
    .execute();
}

/** Deletes up to `limit` unused clients registered before `before`. */
export async function sweepClients(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('oauth_clients')
    .where('id', 'in', unusedClients(db).select('id').where('created_at', '<', before).limit(limit))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
