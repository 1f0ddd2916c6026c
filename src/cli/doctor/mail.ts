import { smtpTransport } from '#engine/mail/transport.ts';
import { failure, ok, type CheckResult } from '#engine/readiness/checks.ts';
import type { Config } from '#kernel/config/config.ts';

/** Checks that the mail server can be reached and accepts the password, if there is one. */
export async function checkMail({ mail }: Config): Promise<readonly CheckResult[]> {
  if (mail === undefined) return [];
  try {
    await smtpTransport(mail).check();
    return [ok('mail', `${mail.host} accepts connections; \`rostra mail test\` sends a mail`)];
  } catch (error) {
    return [failure('mail', `${mail.host}: ${(error as Error).message}`, 'check SMTP_URL, and the firewall')];
  }
}
