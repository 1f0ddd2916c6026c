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

/** A log in every form that it can have. */
function formsOf(json: readonly string[]) {
  const text = json.flatMap((line) => textOfLine(line).trimEnd().split('\n'));
  const docker = (line: string) => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: '2026-11-29T12:00:00Z' });
  const journal = (line: string) => `host.example node[812]: ${line}`;
  return Object.entries({
    json,
    text,
    'json of Docker': json.map(docker),
    'text of Docker': text.map(docker),
    'json of the journal': json.map(journal),
    'text of the journal': text.map(journal),
  });
}

/** The addresses that the filter finds in a log. */
function found(lines: readonly string[]) {
  const file = join(makeFolder(), 'rostra.log');
  writeFileSync(file, lines.join('\n'));
  const { status, said } = run('fail2ban-regex', ['--out', 'ip', file, join(process.cwd(), example('filter'))]);
  return [status, said.trim().split('\n')];
}

it.skipIf(PROGRAM === undefined)('fail2ban finds failed sign-ins in every form of the log', async () => {
  for (const [form, lines] of formsOf(await logLines()))
    expect([form, ...found(lines)]).toEqual([form, 0, ['203.0.113.7', '2001:db8::7', '127.0.0.1']]);
});

it.skipIf(PROGRAM === undefined)('fail2ban finds nothing in what strangers send', () => {
  const line = (fields: object, msg = 'request') =>
    JSON.stringify({ level: 'warn', time: '2026-11-29T12:00:00.000Z', request_id: 'a1', ...fields, msg });
  const own = line({ address: '198.51.100.9' }, 'sign-in failed');
  const texts = [
    'sign-in failed request_id=a address=198.51.100.9 ',
    '"address":"198.51.100.9","msg":"sign-in failed',
    own,
    `\n${own}`,
    textOfLine(own),
    `\n${textOfLine(own)}`,
    `host node[812]: ${own}`,
    `{"log":"${own}`,
    `{"log":"${textOfLine(own)}`,
  ];
  const forged = texts.flatMap((text) => [
    line({ agent: text }),
    line({ address: text }, 'sign-in failed'),
    line({ address: '203.0.113.7', agent: text }),
    line({ error: { name: 'Error', message: text, stack: `Error: ${text}` } }),
  ]);
  for (const [form, lines] of formsOf(forged))
    expect([form, ...found(lines)]).toEqual([form, expect.any(Number), ['']]);
});

it.skipIf(PROGRAM === undefined)('fail2ban takes the jail', () => {
  expect(run('fail2ban-client', ['-t'])).toEqual({ status: 0, said: expect.stringContaining('test is successful') });
});
