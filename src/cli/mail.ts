import { MailError, smtpTransport } from '#engine/mail/transport.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { newId } from '#kernel/ids.ts';
import { emailOf } from '#kernel/text/email.ts';
import { openCliBasics } from './world.ts';

type Options = Readonly<{ to?: string | undefined }>;

/** Sends a mail at once, so that the operator sees whether the settings are right. */
export async function sendTestMail({ to: given }: Options): Promise<void> {
  const to = emailOf(given ?? '');
  if (to === undefined) throw new ConfigError('mail test needs --to <e-mail address>');
  const { config, clock } = openCliBasics({ logTo: process.stderr });
  const { mail, rootUrl } = config;
  if (mail === undefined) throw new ConfigError('no mail server is set: set SMTP_URL and MAIL_FROM');
  const text = `Hello,\n\nThis is a test. The server at ${rootUrl} can send mail.`;
  try {
    await smtpTransport(mail).send({ id: newId('mail', clock.now()), to, subject: 'A test of mail', text });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    throw new ConfigError(`no mail was sent: ${error.message}; check SMTP_URL and MAIL_FROM`);
  }
  process.stdout.write(`${mail.host} accepted a mail to ${to}. If it does not arrive, look in the spam folder.\n`);
}
