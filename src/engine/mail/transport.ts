import type { MailSettings } from '#kernel/config/mail.ts';
import { MINUTE, SECOND } from '#kernel/clock.ts';

/** A mail as it is handed to the mail server; `id` stays the same if it has to be sent again. */
export type OutgoingMail = Readonly<{ id: string; to: string; subject: string; text: string }>;

/** The connection to a mail server. */
export type MailTransport = Readonly<{
  /** Throws a MailError if the server does not take the mail. */
  send(mail: OutgoingMail): Promise<void>;
}>;

/** The mail server did not take a mail; `final` if it never will. */
export class MailError extends Error {
  override name = 'MailError';
  readonly final: boolean;
  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

/** A connection to an SMTP server, opened for each mail. */
export function smtpTransport({ host, port, tls, login, from }: NonNullable<MailSettings>): MailTransport {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);

  async function open() {
    // Loaded only by servers that send mail.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port,
      secure: tls === 'at once',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'off',
      ...(login && { auth: { user: login.user, pass: login.password } }),
      connectionTimeout: 20 * SECOND,
      greetingTimeout: 20 * SECOND,
      socketTimeout: MINUTE,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }
  let transport: ReturnType<typeof open> | undefined;

  return Object.freeze({
    async send({ id, to, subject, text }: OutgoingMail) {
      transport ??= open();
      const message = {
        from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${domain}>`,
        // Asks for no automatic replies, such as those of somebody on holiday.
        headers: { 'Auto-Submitted': 'auto-generated' },
      };
      try {
        await (await transport).sendMail(message);
      } catch (error) {
        throw refusal(error as SmtpFailure);
      }
    },
  });
}

type SmtpFailure = Error & { code?: string; responseCode?: number; command?: string };

/** Only a refused recipient or text is final: a wrong password or a full disk may be mended. */
function refusal({ message, code, responseCode, command }: SmtpFailure): MailError {
  const refused = responseCode !== undefined && responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return new MailError(`the mail server did not take it: ${message}`, refused && command !== 'MAIL FROM');
}
