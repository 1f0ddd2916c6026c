import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoreOptions } from '../../../db/store/open.ts';
import { productStore, type Store } from '../../../db/store/store.ts';
import type { Caller } from '../../../src/call/caller.ts';
import { authorityOver } from '../../../src/kernel/authority.ts';
import { answer } from '../../../src/call/context.ts';
import { defineTool, toolset } from '../../../src/call/tool.ts';
import { makeIdempotency } from '../../../src/engine/idempotency/index.ts';
import { ApiError, fail, type ErrorCode } from '../../../src/kernel/errors.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { makeSealer, type Sealer } from '../../../src/kernel/seal.ts';
import { makeInvoke } from '../../../src/serve/invoke.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import type { Stores } from '../stores/stores.ts';
import { openWorld, type Answered } from './http.ts';

export const MASTER = '11'.repeat(32);
export const LARGE = 'x'.repeat(262_200);

const free = z.looseObject({});

const owner: Caller = {
  kind: 'key',
  id: 'key_1',
  name: 'owner',
  userId: 'usr_1',
  workspace: { id: 'ws_1', plan: 'enterprise', createdAt: 0, blockedAt: undefined, timezone: 'UTC' },
  authority: authorityOver('ws_1'),
};

/** Operations that count how often they ran, on a store that several processes may share. */
export async function openRepeats(stores: Stores) {
  const place: StoreOptions = await stores.place();
  const store = await stores.open(place);
  await store.write(({ db }) =>
    db
      .insertInto('workspaces')
      .values({ id: 'ws_1', plan: 'free', created_at: 0, brands_count: 0, storage_bytes: 0 })
      .execute(),
  );
  /** Whoever a token stands for; tests change it as an owner would. */
  const callers: Record<string, Caller> = { owner };
  const ran: string[] = [];
  let gate: { begun(): void; open: Promise<void> } | undefined;

  async function run(name: string): Promise<string> {
    ran.push(name);
    const count = ran.length;
    if (gate !== undefined) {
      const { begun, open } = gate;
      gate = undefined;
      begun();
      await open;
    }
    return `thing_${count}`;
  }

  const working = productStore(store, fakeClock());
  /** A transaction of the work, which records what it came to. */
  async function step(state: Readonly<{ id: string; done?: boolean }>): Promise<string> {
    await working.write(async (tx) => tx.key?.record(state));
    return state.id;
  }

  const things = toolset('things', 'Things', 'Things that are made.', [
    defineTool({
      name: 'make_thing',
      summary: 'Make a thing.',
      http: { method: 'POST', path: '/things', status: 201 },
      effect: 'create',
      act: 'draft',
      access: { scope: 'posts:write' },
      input: z.object({
        text: z.string().max(300_000).optional().describe('Text.'),
        size: z.int().optional().describe('Size.'),
        parts: z.record(z.string(), z.json()).optional().describe('Parts.'),
        refuse: z.string().max(100).optional().describe('The code to refuse with.'),
        status: z.int().optional().describe('The status to answer with.'),
      }),
      output: free,
      errors: [],
      async run({ text, refuse, status }) {
        const id = await run('make_thing');
        if (refuse === 'broken') throw new Error('broken');
        if (refuse !== undefined) throw new ApiError(refuse as ErrorCode, status === undefined ? {} : { status });
        return answer({ id, text: text ?? null }, { status: status ?? 201, headers: { 'X-Posts-Remaining': '3' } });
      },
    }),
    defineTool({
      name: 'name_thing',
      summary: 'Name a thing.',
      http: { method: 'POST', path: '/things/{thing_id}/name' },
      effect: 'update',
      act: 'draft',
      access: { open: true },
      input: z.object({ thing_id: z.string().max(50).describe('Id.'), text: z.string().max(50).describe('Name.') }),
      output: free,
      errors: [],
      run: async ({ thing_id, text }) => ({ made: await run('name_thing'), id: thing_id, text }),
    }),
    defineTool({
      name: 'replace_thing',
      summary: 'Replace a thing.',
      http: { method: 'PUT', path: '/things' },
      effect: 'update',
      act: 'draft',
      access: { open: true },
      input: z.object({}),
      output: free,
      errors: [],
      run: async () => ({ id: await run('replace_thing') }),
    }),
    defineTool({
      name: 'make_secret',
      summary: 'Make a secret.',
      http: { method: 'POST', path: '/secrets', status: 201 },
      effect: 'create',
      act: 'draft',
      access: { open: true },
      input: z.object({ text: z.string().max(50).describe('Name.') }),
      output: free,
      errors: [],
      async run({ text }) {
        const id = await run('make_secret');
        return text === 'none' ? fail('validation.scope_invalid') : { id, secret: 'open sesame' };
      },
    }),
    defineTool({
      name: 'upload_thing',
      summary: 'Upload a thing.',
      http: { method: 'POST', path: '/things/upload', status: 201 },
      effect: 'create',
      act: 'draft',
      access: { open: true },
      body: 'multipart',
      input: z.object({
        file: z.custom<AsyncIterable<Uint8Array>>().describe('File.'),
        filename: z.string().max(255).optional().describe('Name.'),
        content_type: z.string().max(127).optional().describe('Type.'),
        title: z.string().max(50).optional().describe('Title.'),
        text: z.string().max(50).optional().describe('Text.'),
      }),
      output: free,
      errors: [],
      async run({ file }) {
        const hash = createHash('sha256');
        for await (const chunk of file) hash.update(chunk);
        return { id: await run('upload_thing'), sha256: hash.digest('hex') };
      },
    }),
    defineTool({
      name: 'build_thing',
      summary: 'Build a thing in two steps.',
      http: { method: 'POST', path: '/things/build', status: 201 },
      effect: 'create',
      act: 'draft',
      access: { open: true },
      input: z.object({
        refuse: z.string().max(100).optional().describe('The code that the second step refuses with.'),
        size: z.int().default(1).describe('Size.'),
      }),
      output: free,
      errors: [],
      async run({ refuse, size }) {
        const id = await step({ id: 'thing' });
        await run('build_thing');
        if (refuse !== undefined) fail(refuse as ErrorCode);
        await step({ id, done: true });
        return { id, text: 'x'.repeat(size) };
      },
      async resume({ id, done = false }: Readonly<{ id: string; done?: boolean }>, { refuse, size }) {
        await run(`resume ${done ? 'done' : 'begun'}`);
        if (refuse !== undefined && ran.length < 3) fail(refuse as ErrorCode);
        await step({ id, done: true });
        return { id, text: 'x'.repeat(size) };
      },
    }),
    defineTool({
      name: 'like_thing',
      summary: 'Like a thing.',
      http: { method: 'POST', path: '/things/like' },
      effect: 'update',
      act: 'draft',
      idempotent: true,
      access: { open: true },
      input: z.object({}),
      output: free,
      errors: [],
      run: async () => ({ id: await run('like_thing') }),
    }),
    defineTool({
      name: 'join',
      summary: 'Become a user.',
      http: { method: 'POST', path: '/join' },
      effect: 'create',
      act: 'draft',
      access: { dashboard: true },
      newcomers: true,
      input: z.object({}),
      output: free,
      errors: [],
      run: async () => ({ id: await run('join') }),
    }),
  ]);

  /** A server of its own on the same store. */
  async function start(clock: FakeClock = fakeClock(), sealer: Sealer = makeSealer([MASTER])) {
    const bare = productStore(await stores.open(place), clock);
    const lines: string[] = [];
    const log = makeLog('info', { write: (line) => void lines.push(line) });
    const writing = new Set<Promise<unknown>>();
    const counts = { writes: 0 };
    const switches = { broken: false };
    const watched: Store = {
      ...bare,
      write(work) {
        counts.writes += 1;
        const written = switches.broken ? Promise.reject(new Error('the disk is full')) : bare.write(work);
        const ended = written.then(
          () => void writing.delete(ended),
          () => void writing.delete(ended),
        );
        writing.add(ended);
        return written;
      },
    };
    const idempotency = makeIdempotency({ store: watched, clock, log, sealer, crash: () => {} });
    const world = await openWorld({
      toolsets: [things],
      idempotency,
      invoke: makeInvoke({ modules: {}, log, meterHeaders: async () => ({}), checkOutput: true }),
      callers: {
        async identify(authorization) {
          if (authorization === undefined) fail('auth.missing_header');
          return callers[authorization.replace('Bearer ', '')] ?? fail('auth.invalid_key');
        },
      },
    });

    return {
      clock,
      lines,
      idempotency,
      counts,
      switches,
      url: `${world.rootUrl}/v1`,
      raw: world.send,
      /** Resolves when everything that is being written is written. */
      written: async () => void (await Promise.all(writing)),
      /** A POST, by default of a thing; `key` is its Idempotency-Key. */
      post(body: unknown, options: { key?: string; as?: string; path?: string } = {}): Promise<Answered> {
        const { key = 'once', as = 'owner', path = '/things' } = options;
        const headers = { Authorization: `Bearer ${as}`, 'Idempotency-Key': key };
        return world.json(`/v1${path}`, body, { headers });
      },
      /** Uploads a form; each call draws its parts apart in another way. */
      upload(parts: readonly (readonly [string, string | File])[], key = 'once'): Promise<Response> {
        const form = new FormData();
        for (const [name, value] of parts) form.append(name, value);
        const headers = { Authorization: 'Bearer owner', 'Idempotency-Key': key };
        return fetch(`${world.rootUrl}/v1/things/upload`, { method: 'POST', headers, body: form });
      },
    };
  }

  return {
    store,
    callers,
    owner,
    start,
    /** The operations that ran, in order. */
    ran,
    /** The next operation waits from `begun` until `open` is called. */
    hold() {
      const began = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      gate = { begun: began.resolve, open: opened.promise };
      return { begun: began.promise, open: opened.resolve };
    },
    rows: () => store.db.selectFrom('idempotency').selectAll().execute(),
  };
}

/** What a repeat is told by: whether its answer is an earlier one. */
export const isReplay = ({ headers }: Answered) => headers['idempotency-replayed'] === 'true';
