import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { envelopeIn } from '../harness/calls/requests.ts';
import { makeFolder } from '../harness/folders.ts';
import { call, startProduct, startReceiverProgram, type Product } from './clients/product.ts';
import { PNG } from './clients/sandbox.ts';

/** The main job from outside: the server and the receiver are programs, and so is whoever asks them. */
type Called = Readonly<{ isError?: boolean | undefined; structuredContent?: unknown; content: unknown }>;
type Tools = Readonly<{
  names: readonly string[];
  call(name: string, input: Record<string, unknown>): Promise<Called>;
}>;

/** What a tool answers, read from its text. */
const saidIn = (content: unknown) => JSON.parse((content as [{ text: string }])[0].text) as object;

const info = { name: 'assistant', version: '1' };

function withKey({ url }: Product, key: string) {
  return [new URL(`${url}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }] as const;
}

async function connectV1(server: Product, key: string): Promise<Tools> {
  const client = new ClientV1(info);
  await client.connect(new TransportV1(...withKey(server, key)));
  onTestFinished(() => client.close());
  // Having the list, the client holds every answer against its output schema.
  const { tools } = await client.listTools();
  return {
    names: tools.map(({ name }) => name),
    call: async (name, input) => (await client.callTool({ name, arguments: input })) as Called,
  };
}

const connectV2 = (mode: 'auto' | 'legacy' | { pin: string }, version: string) =>
  async function connect(server: Product, key: string): Promise<Tools> {
    const client = new ClientV2(info, { versionNegotiation: { mode } });
    await client.connect(new TransportV2(...withKey(server, key)));
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    return {
      names: tools.map(({ name }) => name),
      call: (name, input) => client.callTool({ name, arguments: input }),
    };
  };

const CLIENTS = [
  ['SDK v1', connectV1],
  ['SDK v2 in the legacy era', connectV2('legacy', '2025-11-25')],
  ['SDK v2 by its own choice', connectV2('auto', '2026-07-28')],
  ['SDK v2 in the stateless era', connectV2({ pin: '2026-07-28' }, '2026-07-28')],
] as const;

/** A server on a fresh folder, and a receiver that its deliveries reach. */
async function start() {
  const receiver = await startReceiverProgram(makeFolder());
  const server = await startProduct(makeFolder(), receiver.env);
  const { key, command } = server.firstRun();
  const events = ['post.published', 'post.partial', 'post.failed'];
  const { secret } = await call(server, key, 'POST /v1/webhooks', { url: receiver.url, events });
  await receiver.learn(secret);
  return { receiver, server, key, command };
}

describe('the whole product', () => {
  it('publishes by the command it prints, and the receiver takes the signed event', async () => {
    const { receiver, server, key, command } = await start();
    const from = receiver.mark();
    const run = async () =>
      JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout) as Record<string, any>;
    const post = await run();
    expect(post).toMatchObject({
      status: 'published',
      text: 'Hello from Rostra!',
      media: [{ source_type: 'media_id' }],
      targets: [{ platform: 'bluesky', status: 'published', metadata: { sandbox: true } }],
    });
    const line = await receiver.delivery('post.published', from);
    expect(line).toMatch(/^post\.published {2}\S+ {2}V2 verified: yes {2}age: -?\d+\.\d s {2}-> 204$/);
    const page = await fetch(post['targets'][0].permalink as string);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Hello from Rostra!');

    // The command can be tried twice without publishing twice.
    expect(await run()).toMatchObject({ error: { code: 'resource.conflict' } });
    expect((await call(server, key, 'GET /v1/posts')).data).toHaveLength(1);

    const ended = await server.stop();
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    // What went to standard output stays in a journal: the key is in the owner's file alone.
    expect(ended.stdout).not.toContain(key);
    expect(statSync(join(server.dataDir, 'first-run.txt')).mode & 0o777).toBe(0o600);
  });

  it('does the same for assistants: the official clients of both eras, with an API key', async () => {
    const { receiver, server, key } = await start();
    const [account] = (await call(server, key, 'GET /v1/accounts')).data;
    for (const [name, connect] of CLIENTS) {
      const tools = await connect(server, key);
      expect(tools.names).toEqual(expect.arrayContaining(['upload_media', 'create_post', 'get_post']));
      const done = async (tool: string, input: Record<string, unknown>) => {
        const { isError = false, structuredContent, content } = await tools.call(tool, input);
        expect({ name, tool, isError, why: isError ? content : '' }).toEqual({ name, tool, isError: false, why: '' });
        expect(saidIn(content)).toEqual(structuredContent);
        return structuredContent as Record<string, any>;
      };
      const from = receiver.mark();
      const { media_id } = await done('upload_media', { base64: PNG.toString('base64'), filename: 'one.png' });
      const ask = { text: `From ${name}`, media_ids: [media_id], account_ids: [account.id], publish_now: true };
      const post = await done('create_post', ask);
      expect(post).toMatchObject({ status: 'published', targets: [{ status: 'published' }] });
      expect(await receiver.delivery('post.published', from)).toContain('V2 verified: yes');
      expect((await done('get_post', { post_id: post['id'] }))['text']).toBe(`From ${name}`);
      const missing = await tools.call('get_post', { post_id: 'post_none' });
      expect([missing.isError, missing.structuredContent]).toEqual([true, undefined]);
      expect(envelopeIn(missing.content)).toMatchObject({ error: { code: 'post.not_found' } });
    }
    expect((await call(server, key, 'GET /v1/posts')).data).toHaveLength(CLIENTS.length);
    expect(await server.stop()).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('lets no client in without a key, and tells it what is missing', async () => {
    const server = await startProduct(makeFolder());
    const client = new ClientV1(info);
    await expect(client.connect(new TransportV1(new URL(`${server.url}/mcp`)))).rejects.toThrow('auth.missing_header');
    await client.close();
    const [address] = withKey(server, '');
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    const answer = await fetch(address, init);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    await answer.body?.cancel();
  });
});
