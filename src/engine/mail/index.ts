import { deleteMail, insertMail, loadMail, type MailRow } from '#db/outbox/mails.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Base } from '#call/ports.ts';
import type { Tx } from '#db/store/tx.ts';
import { newId } from '#kernel/ids.ts';
import type { Mail, MailKind } from '#kernel/people/mail.ts';
import type { Sealer } from '#kernel/seal.ts';
import { MailError, type MailTransport } from './transport.ts';

type MailsDeps = Pick<Base, 'store' | 'clock' | 'log' | 'meter'> &
  Readonly<{
    sealer: Sealer;
    /** Undefined if no mail server is configured. */
    transport: MailTransport | undefined;
  }>;

type Letter = Pick<Mail, 'to' | 'subject' | 'text'>;

const NOT_SENT: Readonly<Record<MailKind, string>> = Object.freeze({
  invitation: 'An invitation could not be mailed',
  password: 'A mail about a password could not be sent',
  notification: 'A notification could not be mailed',
});

/** Mails of this server: stored with what they are about, and sent afterwards until the mail server takes them. */
export function makeMails({ store, clock, log, meter, sealer, transport }: MailsDeps) {
  async function queue(tx: Tx, { workspaceId, kind, to, subject, text, expiresAt }: Mail): Promise<void> {
    const now = clock.now();
    const id = newId('mail', now);
    const letter: Letter = { to, subject, text };
    const sealed = sealJson(sealer, letter, 'mails', id);
    const row = { id, workspace_id: workspaceId, kind, sealed, created_at: now, expires_at: expiresAt };
    await insertMail(tx.db, row);
    await tx.enqueue({ kind: 'send_mail', key: id, runAt: now });
  }

  /** Deletes a mail that will not be sent, and says so in the events log and the server's log. */
  async function drop({ id, kind, workspace_id: workspaceId }: MailRow, why: string): Promise<void> {
    const isGone = await store.write(async (tx) => {
      if (!(await deleteMail(tx.db, id))) return false;
      const entry = { category: 'api', action: 'mail_failed', status: 'failed', resourceId: id } as const;
      await tx.log({ ...entry, workspaceId, summary: NOT_SENT[kind] });
      return true;
    });
    if (!isGone) return;
    meter.count('mails', [kind, 'failed']);
    log.warn({ mail: id, kind, workspace_id: workspaceId, why }, 'a mail was not sent');
  }

  return Object.freeze({
    /** Undefined if no mail server is configured. */
    queue: transport && queue,

    /** Sends a stored mail; throws if the mail server may take it later. */
    async send(id: string): Promise<void> {
      const row = await loadMail(store.db, id);
      if (row === undefined) return;
      if (transport === undefined) return drop(row, 'no mail server is configured any more');
      if (row.expires_at <= clock.now()) return drop(row, 'it has expired');
      const letter = openJson(sealer, row.sealed, 'mails', id) as Letter;
      try {
        await transport.send({ id, ...letter });
      } catch (error) {
        if (error instanceof MailError && error.final) return drop(row, error.message);
        meter.count('mails', [row.kind, 'delayed']);
        throw error;
      }
      await store.write((tx) => deleteMail(tx.db, id));
      meter.count('mails', [row.kind, 'sent']);
    },
  });
}

export type Mails = ReturnType<typeof makeMails>;
