import { z } from 'zod';
import type { StoreOptions } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import type { Store } from '#db/store/store.ts';
import type { Caller } from '#call/caller.ts';
import { answer } from '#call/context.ts';
import { toolset } from '#call/tool.ts';
import { makeIdempotency } from '#engine/idempotency/index.ts';
import { ApiError, fail, type ErrorCode } from '#kernel/errors.ts';
import { makeLog } from '#kernel/log.ts';
import { makeSealer, type Sealer } from '#kernel/seal.ts';
import { programApi } from '#serve/http/rest.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import type { Stores } from '../stores/stores.ts';
import { aCaller, freely, toy } from '../toys.ts';
import { hashOf, openWorld, type Answered } from './http.ts';

export const MASTER = '11'.repeat(32);
export const LARGE = 'x'.repeat(262_200);

const owner: Caller = { ...aCaller, name: 'owner' };

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

  const made = (name: string) => async () => ({ id: await run(name) });
  const text = z.string().max(50);
  const creates = { status: 201, effect: 'create' } as const;
  const things = toolset('things', 'Things', 'Things that are made.', [
    toy(
      'make_thing',
      'POST /things',
      {
        text: z.string().max(300_000).optional().describe('Text.'),
        size: z.int().optional().describe('Size.'),
        parts: z.record(z.string(), z.json()).optional().describe('Parts.'),
        refuse: z.string().max(100).optional().describe('The code to refuse with.'),
        status: z.int().optional().describe('The status to answer with.'),
      },
      async ({ text: said, refuse, status }) => {
        const id = await run('make_thing');
        if (refuse === 'broken') throw new Error('broken');
        if (refuse !== undefined) throw new ApiError(refuse as ErrorCode, status === undefined ? {} : { status });
        return answer({ id, text: said ?? null }, { status: status ?? 201, headers: { 'X-Posts-Remaining': '3' } });
      },
      { ...creates, access: { scope: 'posts:write' } },
    ),
    toy(
      'name_thing',
      'POST /things/{thing_id}/name',
      { thing_id: text.describe('Id.'), text: text.describe('Name.') },
      async ({ thing_id, text: name }) => ({ made: await run('name_thing'), id: thing_id, text: name }),
    ),
    toy('replace_thing', 'PUT /things', {}, made('replace_thing')),
    toy(
      'make_secret',
      'POST /secrets',
      { text: text.describe('Name.') },
      async ({ text: name }) => {
        const id = await run('make_secret');
        return name === 'none' ? fail('validation.scope_invalid') : { id, secret: 'open sesame' };
      },
      creates,
    ),
    toy(
      'upload_thing',
      'POST /things/upload',
      {
        file: z.custom<AsyncIterable<Uint8Array>>().describe('File.'),
        filename: z.string().max(255).optional().describe('Name.'),
        content_type: z.string().max(127).optional().describe('Type.'),
        title: text.optional().describe('Title.'),
        text: text.optional().describe('Text.'),
      },
      async ({ file }) => {
        const sha256 = await hashOf(file);
        return { id: await run('upload_thing'), sha256 };
      },
      { ...creates, body: 'multipart' },
    ),
    toy(
      'build_thing',
      'POST /things/build',
      {
        refuse: z.string().max(100).optional().describe('The code that the second step refuses with.'),
        size: z.int().default(1).describe('Size.'),
      },
      async ({ refuse, size }) => {
        const id = await step({ id: 'thing' });
        await run('build_thing');
        if (refuse !== undefined) fail(refuse as ErrorCode);
        await step({ id, done: true });
        return { id, text: 'x'.repeat(size) };
      },
      {
        ...creates,
        async resume({ id, done = false }: Readonly<{ id: string; done?: boolean }>, { refuse, size }: any) {
          await run(`resume ${done ? 'done' : 'begun'}`);
          if (refuse !== undefined && ran.length < 3) fail(refuse as ErrorCode);
          await step({ id, done: true });
          return { id, text: 'x'.repeat(size) };
        },
      },
    ),
    toy('like_thing', 'POST /things/like', {}, made('like_thing'), { idempotent: true }),
    toy('join', 'POST /join', {}, made('join'), { effect: 'create', access: { dashboard: true }, newcomers: true }),
  ]);

  /** A server of its own on the same store. */
  async function start(clock: FakeClock = fakeClock(), sealer: Sealer = makeSealer([MASTER])) {
    const bare = productStore(await stores.open(place), clock);
    const lines: string[] = [];
    const log = makeLog({ level: 'info' }, { write: (line) => void lines.push(line) });
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
      invoke: makeInvoke({ modules: {}, log, meterHeaders: async () => ({}), ...freely, checkOutput: true }),
      restApi: programApi({
        async identify(authorization) {
          if (authorization === undefined) fail('auth.missing_header');
          return callers[authorization.replace('Bearer ', '')] ?? fail('auth.invalid_key');
        },
      }),
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
    /** A call whose operation has begun, and waits until `open` is called. */
    async held<T>(call: () => Promise<T>) {
      const began = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      gate = { begun: began.resolve, open: opened.promise };
      const answer = call();
      await began.promise;
      return { answer, open: opened.resolve };
    },
    rows: () => store.db.selectFrom('idempotency').selectAll().execute(),
  };
}

/** What a repeat is told by: whether its answer is an earlier one. */
export const isReplay = ({ headers }: Answered) => headers['idempotency-replayed'] === 'true';
