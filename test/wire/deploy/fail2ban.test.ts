import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { textOfLine } from '#kernel/text/log-text.ts';
import { makeBrowser } from '../../harness/calls/browser.ts';
import { makeFolder } from '../../harness/folders.ts';
import { startProduct } from '../clients/product.ts';
import { pathOf, PYTHON } from './programs.mjs';

const PROGRAM = pathOf('fail2ban-regex');
const example = (name: string) => `docs/examples/fail2ban/${name}.conf`;

/** Runs a program of fail2ban with the settings it comes with, and the examples among them. */
function run(program: string, args: readonly string[]) {
  const folder = dirname(PROGRAM!);
  const settings = makeFolder();
  cpSync(join(folder, '../../etc/fail2ban'), settings, { recursive: true });
  cpSync(example('filter'), join(settings, 'filter.d/rostra.conf'));
  cpSync(example('jail'), join(settings, 'jail.d/rostra.conf'));
  // Debian's own jail needs a log that containers lack.
  writeFileSync(join(settings, 'jail.d/zz.conf'), '[sshd]\nenabled = false\n');
  const { status, stdout, stderr } = spawnSync(join(folder, program), ['-c', settings, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...PYTHON },
  });
  return { status, said: stdout + stderr };
}

/** What a server logs of failed sign-ins, behind a proxy and without. */
async function logLines(): Promise<readonly string[]> {
  const { url, stop } = await startProduct(makeFolder(), { TRUST_PROXY: '1' });
  const browser = makeBrowser({ config: { rootUrl: url }, root: url });
  const page = await browser.open('/sign-in');
  const wrong = { email: 'owner@localhost', password: 'not this one' };
  for (const from of ['203.0.113.7', '2001:db8::7'])
    expect((await browser.submit(page, wrong, '/sign-in', { 'X-Forwarded-For': from })).status).toBe(400);
  expect((await browser.submit(page, { ...wrong, email: 'nobody@example.org' }, '/sign-in')).status).toBe(400);
  const { stdout } = await stop();
  return stdout.split('\n').filter((line) => line.startsWith('{'));
}

it.skipIf(PROGRAM === undefined)('fail2ban finds failed sign-ins in every form of the log', async () => {
  const json = await logLines();
  const text = json.map((line) => textOfLine(line).trimEnd());
  const docker = json.map((line) =>
    JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: '2026-11-29T12:00:00Z' }),
  );
  for (const [name, lines] of Object.entries({ json, text, docker })) {
    const file = join(makeFolder(), `${name}.log`);
    writeFileSync(file, lines.join('\n'));
    const { status, said } = run('fail2ban-regex', ['--out', 'ip', file, join(process.cwd(), example('filter'))]);
    expect([name, status, said.trim().split('\n')]).toEqual([name, 0, ['203.0.113.7', '2001:db8::7', '127.0.0.1']]);
  }
});

it.skipIf(PROGRAM === undefined)('fail2ban takes the jail', () => {
  expect(run('fail2ban-client', ['-t'])).toEqual({ status: 0, said: expect.stringContaining('test is successful') });
});
