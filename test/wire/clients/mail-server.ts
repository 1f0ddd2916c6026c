import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail server that takes everything; its settings for the program, and the next mail that has not been read yet. */
export async function startMailServer() {
  const mails: string[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, taken) {
      text(stream).then((mail) => {
        mails.push(decoded(mail));
        arrived.resolve();
        taken();
      }, taken);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Rostra <rostra@example.org>' },
    async next(): Promise<string> {
      while (mails.length === 0) await arrived.promise;
      arrived = Promise.withResolvers<void>();
      return mails.shift()!;
    },
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** A mail whose text is not wrapped any more. */
const decoded = (mail: string) =>
  mail
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_code, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll('\r\n', '\n');
