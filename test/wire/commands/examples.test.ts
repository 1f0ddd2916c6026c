import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { OutboundRequest } from '#kernel/net/request.ts';
import { makeFolder } from '../../harness/folders.ts';
import { openEngine } from '../../harness/webhooks/delivery-engine.ts';
import { receiverCertificates } from '../../harness/webhooks/receiver.ts';
import { migratedImage } from '../../harness/stores/images.ts';

const EXAMPLES = new URL('../../../docs/examples/', import.meta.url);
const example = (name: string) => fileURLToPath(new URL(name, EXAMPLES));
/** What a script needs besides its own text, and how it is run. */
const SCRIPTS = [
  { script: 'verify.sh', shell: 'sh', needs: ['openssl', 'version'] },
  { script: 'verify.py', shell: 'python3', needs: ['python3', '--version'] },
].map(({ needs: [program, ask], ...rest }) => {
  const missing = spawnSync(program!, [ask!]).status === 0 ? '' : ` [skipped: ${program} is not installed]`;
  return { ...rest, missing };
});
const { ca, cert, key } = receiverCertificates;

type Sent = Readonly<{ timestamp: string; signature: string; body: string; delivery?: string }>;

/** An engine with an endpoint, and what it last sent. */
async function makeSender() {
  let last: OutboundRequest | undefined;
  const engine = await openEngine({
    place: { image: await migratedImage() },
    outbound: { ca },
    send: (send) => (one) => send((last = one)),
  });
  onTestFinished(() => engine.close());
  const { id, secret } = await engine.endpoint('https://receiver.example/', ['post.deleted']);
  return {
    ...engine,
    id,
    secret,
    /** Delivers an event to an address. */
    async deliver(url: string): Promise<Sent & { delivery: string }> {
      await engine.delivery.endpoints.update(engine.authority, id, { url });
      await engine.emit(1, 'post.deleted');
      await engine.delivery.idle();
      const headers = last!.headers!;
      return {
        timestamp: headers['X-Service-Timestamp']!,
        signature: headers['X-Service-Signature-V2']!,
        body: last!.body as string,
        delivery: headers['X-Service-Delivery']!,
      };
    },
  };
}

/** The example receiver as a person runs it. */
async function startReceiver(secret: string) {
  const folder = makeFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tls = { TLS_CERT: file('cert.pem', cert), TLS_KEY: file('key.pem', key) };
  const env = { PATH: process.env['PATH'], SECRET: secret, PORT: '0', ...tls };
  const child = spawn(process.execPath, [example('receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  lines.on('line', (line) => printed.push(line));
  const port = Number(/listening on port (\d+)/.exec(first)![1]);
  return {
    url: `https://localhost:${port}/`,
    /** Ends it, and answers every line it has printed. */
    async stop(): Promise<readonly string[]> {
      const closed = once(lines, 'close');
      child.kill();
      await closed;
      return printed;
    },
    async post({ timestamp, signature, body, delivery }: Sent): Promise<number> {
      const headers = {
        'X-Service-Timestamp': timestamp,
        'X-Service-Signature-V2': signature,
        ...(delivery !== undefined && { 'X-Service-Delivery': delivery }),
      };
      const call = request({ host: 'localhost', port, method: 'POST', ca, headers, agent: false });
      call.end(body);
      const [response] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }];
      response.resume();
      return response.statusCode;
    },
  };
}

/** What a genuine request becomes in the hands of others, and what must be thought of it. */
function forged(sent: Sent, secret: string): readonly (readonly [string, Sent, boolean])[] {
  const sign = (keyed: string | Buffer, timestamp: string) =>
    'sha256=' + createHmac('sha256', keyed).update(`${timestamp}.${sent.body}`).digest('hex');
  const at = (seconds: number) => {
    const timestamp = String(Number(sent.timestamp) + seconds);
    return { ...sent, timestamp, signature: sign(secret, timestamp) };
  };
  return [
    ['as it was sent', sent, true],
    ['a little later', at(-200), true],
    ['by a clock that is a little ahead', at(200), true],
    ['too late', at(-400), false],
    ['from the future', at(400), false],
    ['with another body', { ...sent, body: sent.body.replace('draft', 'other') }, false],
    ['with another time', { ...sent, timestamp: String(Number(sent.timestamp) + 1) }, false],
    ['signed with another secret', { ...sent, signature: sign('0'.repeat(64), sent.timestamp) }, false],
    [
      'signed with the bytes the secret spells',
      { ...sent, signature: sign(Buffer.from(secret, 'hex'), sent.timestamp) },
      false,
    ],
    ['signed in part', { ...sent, signature: sent.signature.slice(0, -1) }, false],
    ['without a signature', { ...sent, signature: '' }, false],
    ['without a time', { ...sent, timestamp: '', signature: sign(secret, '') }, false],
  ];
}

it('the example receiver takes a real delivery once, and nothing that is not genuine', async () => {
  const sender = await makeSender();
  const receiver = await startReceiver(sender.secret);
  const sent = await sender.deliver(receiver.url);
  const [row] = await sender.store.db.selectFrom('deliveries').selectAll().execute();
  expect(row).toMatchObject({ status: 'delivered', response_status_code: 204 });
  // The id it was delivered under is known.
  expect(await receiver.post(sent)).toBe(204);
  const tried = forged(sent, sender.secret);
  for (const [how, { delivery: _, ...changed }, genuine] of tried)
    expect([how, await receiver.post(changed)]).toEqual([how, genuine ? 204 : 401]);
  const printed = await receiver.stop();
  expect(printed[0]).toMatch(/^post\.deleted \{"brand_id":"brd_1",/);
  expect(printed).toHaveLength(1 + tried.filter(([, , genuine]) => genuine).length);
});

for (const { script, shell, missing } of SCRIPTS) {
  it.skipIf(missing !== '')(`the example ${script} believes a real delivery alone${missing}`, async () => {
    const sender = await makeSender();
    const receiver = await startReceiver(sender.secret);
    const sent = await sender.deliver(receiver.url);
    for (const [how, { timestamp, signature, body }, genuine] of forged(sent, sender.secret)) {
      const env = { PATH: process.env['PATH'], SECRET: sender.secret };
      const { status } = spawnSync(shell, [example(script), timestamp, signature], { input: body, env });
      expect([how, status]).toEqual([how, genuine ? 0 : 1]);
    }
  });
}
