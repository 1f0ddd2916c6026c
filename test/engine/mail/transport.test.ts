import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { smtpTransport, type OutgoingMail } from '#engine/mail/transport.ts';
import { readConfig } from '#kernel/config/config.ts';
import { makeCertificates } from '../../harness/certificates.ts';
import { makeFolder } from '../../harness/folders.ts';
import { startSmtp } from '../../harness/smtp.ts';

const MAIL: OutgoingMail = {
  id: 'mail_1',
  to: 'bea@example.org',
  subject: 'Grüße aus dem Büro',
  text: 'Hallo Bea,\n\n.\nhttps://social.example.org/join?token=abc\n',
};

/** A mail server of the test, with what it took. */
async function serve(options: SMTPServerOptions = {}) {
  const taken: string[] = [];
  const { port, stop } = await startSmtp(
    (mail, { from, to }) => void taken.push(`${[from, ...to].join(' > ')}\n${mail}`),
    options,
  );
  onTestFinished(stop);
  return { taken, port };
}

function send(SMTP_URL: string): Promise<void> {
  const { mail } = readConfig([], { SMTP_URL, MAIL_FROM: 'Rostra <rostra@example.org>' });
  return smtpTransport(mail!).send(MAIL);
}

const refusal = (code: number, text = 'no') => Object.assign(new Error(text), { responseCode: code });
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the transport of mails', () => {
  it('hands a mail to the server as plain text, with an id that stays the same', async () => {
    const { taken, port } = await serve();
    await send(`smtp://127.0.0.1:${port}`);
    await send(`smtp://127.0.0.1:${port}`);
    expect(taken).toHaveLength(2);
    const [mail] = taken as [string];
    const [addresses, ...lines] = mail.split(/\r?\n/);
    expect(addresses).toBe('rostra@example.org > bea@example.org');
    for (const header of [
      'From: Rostra <rostra@example.org>',
      'To: bea@example.org',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_dem_B=C3=BCro?=',
      'Message-ID: <mail_1@example.org>',
      'Auto-Submitted: auto-generated',
    ])
      expect(lines).toContain(header);
    expect(mail).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
    expect(mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain('/join?token=abc');
  });

  it('signs in', async () => {
    const logins: unknown[] = [];
    const { taken, port } = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        logins.push([username, password]);
        done(null, { user: username });
      },
    });
    await send(`smtp://anna%40example.org:p%40ss@127.0.0.1:${port}`);
    expect([logins, taken.length]).toEqual([[['anna@example.org', 'p@ss']], 1]);
  });

  it('tries again later after a wrong password, whose text is in no error', async () => {
    const { port } = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(refusal(535)),
    });
    const sent = send(`smtp://anna:secret-password@127.0.0.1:${port}`);
    await expect(sent).rejects.toMatchObject({ name: 'MailError', final: false });
    await expect(sent).rejects.not.toThrow('secret-password');
  });

  it.each([
    [550, 'no', true],
    [550, '5.1.1 no such user', true],
    [552, '5.2.2 mailbox full', true],
    [550, '5.4.5 too many mails today', false],
    [553, '5.7.1 sender address rejected', false],
    [554, 'rejected', false],
    [450, '4.2.1 try later', false],
  ])('knows whether a refused recipient (%i %s) is final', async (code, text, final) => {
    const { port } = await serve({ onRcptTo: (_address, _session, done) => done(refusal(code, text)) });
    await expect(send(`smtp://127.0.0.1:${port}`)).rejects.toMatchObject({ final });
  });

  it('tries again later where a filter refuses the text', async () => {
    const { port } = await serve({
      onData(stream, _session, done) {
        stream.resume().once('end', () => done(refusal(554, '5.7.1 blocked')));
      },
    });
    await expect(send(`smtp://127.0.0.1:${port}`)).rejects.toMatchObject({ final: false });
  });

  it.each(['starttls', 'at once'] as const)('encrypts (%s) with a certificate that is trusted', async (tls) => {
    const { ca, key, cert } = makeCertificates(['localhost']);
    const { taken, port } = await serve({ secure: tls === 'at once', key, cert, disabledCommands: ['AUTH'] });
    const file = join(makeFolder(), 'ca.pem');
    writeFileSync(file, ca);
    const from = { name: 'Rostra', address: 'rostra@example.org' };
    // A process of its own, as Node reads the authorities at its start.
    const script = `const { smtpTransport } = await import('#engine/mail/transport.ts');
      const transport = smtpTransport(${JSON.stringify({ host: 'localhost', port, tls, from })});
      await transport.check();
      await transport.send(${JSON.stringify(MAIL)});`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env, cwd: ROOT });
    expect(taken).toHaveLength(1);
  });

  it('tries again later where the sender is refused, the connection ends or nobody listens', async () => {
    const { port } = await serve({ onMailFrom: (_address, _session, done) => done(refusal(550)) });
    await expect(send(`smtp://127.0.0.1:${port}`)).rejects.toMatchObject({ final: false });
    const closing = await serve({ onConnect: (_session, done) => done(refusal(421)) });
    await expect(send(`smtp://127.0.0.1:${closing.port}`)).rejects.toMatchObject({ final: false });
    await expect(send('smtp://127.0.0.1:1')).rejects.toMatchObject({ name: 'MailError', final: false });
  });

  it('sends nothing over a connection that is not encrypted as it should be', async () => {
    const plain = await serve();
    const from = { name: 'Rostra', address: 'rostra@example.org' };
    const elsewhere = { host: '127.0.0.1', port: plain.port, tls: 'starttls', login: undefined, from } as const;
    await expect(smtpTransport(elsewhere).send(MAIL)).rejects.toMatchObject({ final: false });
    const { key, cert } = makeCertificates(['localhost']);
    const secure = await serve({ secure: true, key, cert });
    await expect(send(`smtps://localhost:${secure.port}`)).rejects.toMatchObject({ final: false });
    expect([plain.taken, secure.taken]).toEqual([[], []]);
  });
});
