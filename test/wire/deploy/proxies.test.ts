import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askRest, askTool } from '../../harness/calls/requests.ts';
import { makeFolder } from '../../harness/folders.ts';
import { mp4 } from '../../harness/media-samples.ts';
import { until } from '../../harness/processes.ts';
import { freePort } from '../../harness/sockets.ts';
import { listen } from '../../harness/webhooks/event-source.ts';
import { call, runCommand, startProduct } from '../clients/product.ts';
import { pathOf } from './programs.mjs';

const example = (name: string) => readFileSync(`docs/examples/deploy/${name}`, 'utf8');

type Ports = Readonly<{ proxy: number; server: number }>;

/** The proxies whose examples are tried here: what is of the machine is replaced, and TLS left out. */
const PROXIES = [
  {
    name: 'nginx',
    program: pathOf('nginx'),
    start(folder: string, { proxy, server }: Ports) {
      const site = example('nginx.conf')
        .replace('listen 80;', `listen 127.0.0.1:${proxy + 1};`)
        .replace('listen 443 ssl http2;', `listen 127.0.0.1:${proxy} default_server;`)
        .replaceAll(/^\s*ssl_.*$/gm, '')
        .replaceAll('rostra.example.org', 'localhost')
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${server}`);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (one) => `${one}_temp_path ${join(folder, one)};`,
      );
      const file = join(folder, 'nginx.conf');
      writeFileSync(
        file,
        `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}
        http { access_log off; ${temporary.join(' ')} ${site} }`,
      );
      return ['-c', file, '-p', folder, '-e', 'stderr'];
    },
  },
  {
    name: 'Caddy',
    program: pathOf('caddy'),
    start(folder: string, { proxy, server }: Ports) {
      const file = join(folder, 'Caddyfile');
      const site = example('Caddyfile')
        .replace('rostra.example.org', `http://:${proxy}`)
        .replace('127.0.0.1:8080', `127.0.0.1:${server}`);
      writeFileSync(file, `{\n\tadmin off\n}\n${site}`);
      return ['run', '--config', file, '--adapter', 'caddyfile'];
    },
  },
] as const;

/** A server, and the proxy of an example before it. */
async function openBehind({ program, start }: (typeof PROXIES)[number]) {
  const folder = makeFolder();
  const ports = { proxy: await freePort(), server: await freePort() };
  const root = `http://localhost:${ports.proxy}`;
  const place = { HOST: '0.0.0.0', PORT: String(ports.server), ROOT_URL: root };
  const settings = { ...place, TRUST_PROXY: '1', SANDBOX: 'on' };
  const server = await startProduct(join(folder, 'data'), settings);
  const child = spawn(program!, start(folder, ports), {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await until(async () => {
    const answer = await fetch(`${root}/healthz`).catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });
  return { root, port: ports.proxy, settings, server, key: server.firstRun().key };
}

/** Asks with headers that `fetch` sets by itself. */
async function ask(port: number, path: string, headers: Record<string, string>): Promise<number> {
  const sent = request({ host: '127.0.0.1', port, path, headers });
  sent.end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode as number;
}

describe.each(PROXIES)('behind $name, as its example has it', (proxy) => {
  it.skipIf(proxy.program === undefined)('everything works as without it, where it is installed', async () => {
    const { root, port, settings, server, key } = await openBehind(proxy);
    const { isError, body } = await askTool(root, key, 'list_accounts', {});
    expect([isError, body.count > 0]).toEqual([false, true]);

    // An event arrives while the stream goes on: nothing holds it until the end.
    const stream = await listen(`${root}/v1/events/stream`, { Authorization: `Bearer ${key}` });
    expect([stream.status, await stream.next()]).toEqual([200, { retry: '3000' }]);
    const { id } = await call({ url: root }, key, 'POST /v1/brands', { name: 'Behind a proxy' });
    expect((await stream.next())?.data).toMatchObject({ action: 'brand_created', resource_id: id });

    const filler = Buffer.alloc(100_000_000);
    filler.writeUInt32BE(filler.byteLength, 0);
    filler.write('free', 4, 'latin1');
    const query = 'media_type=video/mp4&filename=large.mp4';
    const address = await call({ url: root }, key, `GET /v1/media/upload-url?${query}`);
    expect(address.upload_url.startsWith(root)).toBe(true);
    const sent = await fetch(address.upload_url, { method: 'PUT', body: Buffer.concat([mp4(), filler]) });
    expect(sent.status).toBe(200);

    const form = await fetch(`${root}/sign-in`);
    expect(form.status).toBe(200);
    expect(form.headers.getSetCookie().length).toBeGreaterThan(0);

    const { code, stdout: found } = await runCommand(['doctor'], { DATA_DIR: server.dataDir, ...settings });
    expect([code, found]).toEqual([0, expect.stringContaining('the proxy takes 2 MB')]);
    expect(found).toContain('the proxy passes them on as they come');
    expect(found).toContain('it is 1, as many as add to X-Forwarded-For');

    // The name of another site is refused, and what a client says of its own address is not believed.
    expect(await ask(port, '/v1/accounts', { Host: 'evil.example' })).toBe(421);
    const spoofed = { 'X-Forwarded-For': '198.51.100.1', 'X-Request-ID': 'spoofed', Authorization: `Bearer ${key}` };
    expect((await askRest(root, key, 'GET /v1/accounts', undefined, spoofed)).status).toBe(200);
    const { stdout } = await server.stop();
    const lines = stdout.split('\n').filter((line) => line.includes('"request_id":"spoofed"'));
    expect(lines.map((line) => (JSON.parse(line) as { address: string }).address)).toEqual(['127.0.0.1']);
  });
});
