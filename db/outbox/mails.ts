import type { Mail } from '#kernel/people/mail.ts';
import type { NewRow, Row } from '../schema/database.ts';
import type { Db, Tx } from '../store/tx.ts';

/** Stores a mail within a transaction; it is sent after the commit. */
export type QueueMail = (tx: Tx, mail: Mail) => Promise<void>;

export type MailRow = Row<'mails'>;

export async function insertMail(db: Db, row: NewRow<'mails'>): Promise<void> {
  await db.insertInto('mails').values(row).execute();
}

/** A mail, with when its user was disabled, if they are. */
export function loadMail(
  db: Db,
  id: string,
): Promise<(MailRow & Readonly<{ disabled_at: number | null }>) | undefined> {
  return db
    .selectFrom('mails')
    .leftJoin('users', 'users.id', 'mails.user_id')
    .selectAll('mails')
    .select('users.disabled_at')
    .where('mails.id', '=', id)
    .executeTakeFirst();
}

/** False if it is gone already. */
export async function deleteMail(db: Db, id: string): Promise<boolean> {
  const result = await db.deleteFrom('mails').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
