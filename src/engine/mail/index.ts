import { deleteMail, insertMail, loadMail, type MailRow } from '#db/outbox/mails.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Base } from '#call/ports.ts';
import type { Tx } from '#db/store/tx.ts';
import { MINUTE } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { scrub } from '#kernel/log.ts';
import type { Mail, MailKind } from '#kernel/people/mail.ts';
import type { Sealer } from '#kernel/seal.ts';
import { cut } from '#kernel/text/length.ts';
import { MailError, type MailTransport } from './transport.ts';

type MailsDeps = Pick<Base, 'store' | 'clock' | 'log' | 'meter'> &
  Readonly<{
    sealer: Sealer;
    /** Undefined if no mail server is configured. */
    transport: MailTransport | undefined;
  }>;

type Content = Pick<Mail, 'to' | 'subject' | 'text'>;

const NOT_SENT: Readonly<Record<MailKind, string>> = Object.freeze({
  invitation: 'An invitation could not be mailed',
  password: 'A mail about a password could not be sent',
  notification: 'A notification could not be mailed',
});

const LONGEST_REASON = 300;

/** Mails of this server: stored with what they are about, and sent afterwards until the mail server accepts them. */
export function makeMails({ store, clock, log, meter, sealer, transport }: MailsDeps) {
  async function queue(tx: Tx, { workspaceId, userId, kind, to, subject, text, expiresAt }: Mail): Promise<void> {
    const now = clock.now();
    const id = newId('mail', now);
    const content: Content = { to, subject, text };
    const sealed = sealJson(sealer, content, 'mails', id);
    const about = { workspace_id: workspaceId, user_id: userId, kind };
    await insertMail(tx.db, { id, ...about, sealed, created_at: now, expires_at: expiresAt });
    await tx.enqueue({ kind: 'send_mail', key: id, runAt: now });
  }

  /** Deletes a mail that will not be sent, and says so in the events log and the server's log. */
  async function drop({ id, kind, workspace_id: workspaceId }: MailRow, why: string): Promise<undefined> {
    const isDropped = await store.write(async (tx) => {
      if (!(await deleteMail(tx.db, id))) return false;
      const entry = { category: 'api', action: 'mail_failed', status: 'failed', resourceId: id } as const;
      await tx.log({ ...entry, workspaceId, summary: NOT_SENT[kind] });
      return true;
    });
    if (!isDropped) return;
    meter.count('mails', [kind, 'failed']);
    log.warn({ mail: id, kind, workspace_id: workspaceId, why }, 'a mail was not sent');
  }

  return Object.freeze({
    /** Undefined if no mail server is configured. */
    queue: transport && queue,

    /** Sends a stored mail; throws if the mail server may accept it later. */
    async send(id: string): Promise<{ again: number } | undefined> {
      const row = await loadMail(store.db, id);
      if (row === undefined) return undefined;
      if (row.expires_at <= clock.now()) return drop(row, 'it has expired');
      if (row.disabled_at !== null) return drop(row, 'its user is disabled');
      // Another process may have a mail server: the settings of one are changed before those of the other.
      if (transport === undefined) return { again: MINUTE };
      const content = openJson(sealer, row.sealed, 'mails', id) as Content;
      try {
        await transport.send({ id, ...content });
      } catch (error) {
        const { message, final = false } = error as Partial<MailError>;
        const why = reasonFrom(message ?? '', content.to);
        if (final) return drop(row, why);
        meter.count('mails', [row.kind, 'delayed']);
        throw new MailError(why, false);
      }
      await store.write((tx) => deleteMail(tx.db, id));
      meter.count('mails', [row.kind, 'sent']);
      return undefined;
    },
  });
}

/** What a mail server says, without the recipient, and without the link, which some filters quote. */
function reasonFrom(message: string, to: string): string {
  const withoutLinks = message.replaceAll(/https?:\/\/\S+/gi, '[link]').replaceAll(/\b[0-9a-f]{32,}\b/gi, '[link]');
  return cut(scrub(withoutLinks.replaceAll(to, '[recipient]')), LONGEST_REASON, '…');
}

export type Mails = ReturnType<typeof makeMails>;
