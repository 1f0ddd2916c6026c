import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { startMailServer } from '../clients/mail-server.ts';
import { runCommand } from '../clients/product.ts';

const test = (env: Readonly<Record<string, string>>, ...to: readonly string[]) =>
  runCommand(['mail', 'test', ...to], { DATA_DIR: makeFolder(), ...env });

it('sends a mail at once, or says what is wrong', async () => {
  const mail = await startMailServer();
  const to = ['--to', 'Bea@Example.org'];
  const sent = await test(mail.env, ...to);
  expect(sent).toMatchObject({ code: 0, stderr: '' });
  expect(sent.stdout).toMatch(/^127\.0\.0\.1 accepted a mail to bea@example\.org\./);
  expect(await mail.next()).toContain('This is a test. The server at http://localhost:');

  const refused = async (env: Readonly<Record<string, string>>, ...given: readonly string[]) => {
    const { code, stdout, stderr } = await test(env, ...given);
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    return stderr;
  };
  expect(await refused(mail.env, '--to', 'bea')).toContain('mail test needs --to <e-mail address>');
  expect(await refused({}, ...to)).toContain('set SMTP_URL and MAIL_FROM');
  const password = 'quite-secret';
  const SMTP_URL = `smtp://anna:${password}@127.0.0.1:1`;
  const unreachable = await refused({ ...mail.env, SMTP_URL }, ...to);
  expect(unreachable).toMatch(/no mail was sent: .*ECONNREFUSED.*; check SMTP_URL and MAIL_FROM/);
  expect(unreachable).not.toContain(password);
  await mail.stop();
});
