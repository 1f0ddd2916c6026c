import { startSmtp } from '../../harness/smtp.ts';

/** A mail server that takes everything; its settings for the program, and the next mail that has not been read yet. */
export async function startMailServer() {
  const mails: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const { port, stop } = await startSmtp((mail) => {
    mails.push(decoded(mail));
    arrived.resolve();
  });
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Rostra <rostra@example.org>' },
    async next(): Promise<string> {
      while (mails.length === 0) await arrived.promise;
      arrived = Promise.withResolvers<void>();
      return mails.shift()!;
    },
    stop,
  };
}

/** A mail whose text is not wrapped any more. */
const decoded = (mail: string) =>
  mail
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_code, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll('\r\n', '\n');
