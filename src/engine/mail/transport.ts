import type { MailSettings } from '#kernel/config/mail.ts';
import { MINUTE, SECOND } from '#kernel/clock.ts';

/** A mail as it is handed to the mail server; `id` stays the same if it has to be sent again. */
export type OutgoingMail = Readonly<{ id: string; to: string; subject: string; text: string }>;

/** The connection to a mail server. */
export type MailTransport = Readonly<{
  /** Throws a MailError if the server does not accept the mail. */
  send(mail: OutgoingMail): Promise<void>;
}>;

/** The mail server did not accept a mail, as the message says; `final` if it never will. */
export class MailError extends Error {
  override name = 'MailError';
  readonly final: boolean;
  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

/** A connection to an SMTP server, opened for each mail. */
export function smtpTransport({ host, port, tls, login, from }: NonNullable<MailSettings>) {
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
  let opened: ReturnType<typeof open> | undefined;

  /** Throws what the mail server says as a MailError. */
  async function ask(work: (transport: Awaited<ReturnType<typeof open>>) => Promise<unknown>): Promise<void> {
    opened ??= open();
    try {
      await work(await opened);
    } catch (error) {
      throw refusal(error as SmtpFailure);
    }
  }

  return Object.freeze({
    /** Connects and signs in, but sends nothing. */
    check: () => ask((transport) => transport.verify()),

    async send({ id, to, subject, text }: OutgoingMail) {
      const message = {
        from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${domain}>`,
        // Asks for no automatic replies, such as those of somebody on holiday.
        headers: { 'Auto-Submitted': 'auto-generated' },
        // Shorter than the lease of the job.
        signal: AbortSignal.timeout(4 * MINUTE),
      };
      await ask((transport) => transport.sendMail(message));
    },
  } satisfies MailTransport & Readonly<{ check(): Promise<void> }>);
}

type SmtpFailure = Error & { responseCode?: number; response?: string; command?: string };

/** Final is only what is wrong with the recipient: a password, a sender, a quota or a filter may be mended. */
function refusal({ message, responseCode = 0, response = '', command }: SmtpFailure): MailError {
  const isUnusable = command === 'API' && message.includes('recipient');
  const isRefused = command === 'RCPT TO' && responseCode >= 500 && isAboutRecipient(response);
  return new MailError(message, isUnusable || isRefused);
}

/** By the enhanced status code (RFC 3463), if there is one: 5.1 and 5.2 are about the address and its mailbox. */
function isAboutRecipient(response: string): boolean {
  const enhanced = /^\d{3}[ -](5\.\d+\.\d+)/.exec(response)?.[1];
  if (enhanced === undefined) return /^(?:550|551|553)/.test(response);
  // 5.1.7 and 5.1.8 are about the sender.
  return /^5\.[12]\./.test(enhanced) && !/^5\.1\.[78]$/.test(enhanced);
}
