import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { openStore, type StoreOptions } from '#db/store/open.ts';
import { authorityOver } from '#kernel/authority.ts';
import { compose, type Product, type Surroundings } from '#compose/index.ts';
import { readConfig, type Config } from '#kernel/config/config.ts';
import type { OutgoingMail } from '#engine/mail/transport.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { platforms } from '#platforms/index.ts';
import type { Platforms } from '#platforms/lookup.ts';
import { makeLog } from '#kernel/log.ts';
import { makeSealer } from '#kernel/seal.ts';
import { makeServer } from '#serve/http/server.ts';
import { fakeClock, type FakeClock } from './clock.ts';
import { forFile } from './fixtures.ts';
import { sharedWorkshop } from './pictures/workshop.ts';
import { openTestSandbox } from './sandbox.ts';
import { listen, stop as stopServer } from './sockets.ts';
import { checkRoute, checkTool } from './calls/declared.ts';
import { credentialsOf } from './platforms/bluesky-people.ts';
import { toolsets } from './calls/mcp-replay.ts';
import { askRest, askTool, type Answer, type Json } from './calls/requests.ts';
import { receiverCertificates, startReceiver, type Receiver } from './webhooks/receiver.ts';
import { openMemoryStore } from './stores/reused.ts';

export type { Answer, Json };

export type World = Readonly<{
  product: Product;
  config: Config;
  clock: FakeClock;
  /** The origin the server is reached at. */
  root: string;
  /** An unrestricted API key of the owner. */
  key: string;
  userId: string;
  workspaceId: string;
  brandId: string;
  /** Every line of the log. */
  log: readonly string[];
  /** The mails that were sent; `mail` of the options says whether there are any. */
  mails: readonly OutgoingMail[];
  /** Calls the REST API; an object is sent as JSON, a key of null sends no Authorization. */
  rest(
    call: `${string} /${string}`,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Calls an MCP tool; answers its structured content, or the envelope of the error. */
  mcp(tool: string, input?: object, options?: { key?: string }): Promise<{ isError: boolean; body: Json }>;
  /** Another key of the owner, limited as said. */
  newKey(limits?: { scopes?: string[]; brand_ids?: string[] }): Promise<string>;
  /** The unrestricted key of another workspace. */
  stranger(): Promise<{ key: string; workspaceId: string }>;
  /** Connects a person of the sandbox to a new brand, or to the one named; answers the account. */
  connect(person?: number, brandId?: string): Promise<Json>;
  /** A webhook receiver that is registered for the events; answers both. */
  receive(events: readonly string[]): Promise<Receiver & { id: string; secret: string }>;
  /** Waits until nothing is running: publishing, jobs and deliveries. */
  settle(): Promise<void>;
  /** Moves the clock and lets everything that became due happen. */
  pass(ms: number): Promise<void>;
  /** Stops the server. */
  end(): Promise<void>;
}>;

/** The platforms of a composition that lacks one. */
export const without = (slug: PlatformSlug): Platforms => new Map([...platforms].filter(([other]) => other !== slug));

export type WorldOptions = Readonly<{
  env?: Record<string, string>;
  store?: StoreOptions;
  surroundings?: Partial<Surroundings>;
  /** A world that has ended: this one goes on with its folder, clock and owner. The store is one that can be reopened. */
  after?: World;
  /** Whether a mail server is configured. */
  mail?: true;
  /** Stands before the server: answers a request itself, or lets it pass. */
  gate?: (req: IncomingMessage, res: ServerResponse, pass: () => void) => void;
}>;

/** A whole server with its own database, sandbox, folder and clock; it ends with the test, or when `atEnd` says. */
export async function makeWorld(
  options: WorldOptions = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<World> {
  const { after } = options;
  const dataDir = after?.config.dataDir ?? mkdtempSync(join(tmpdir(), 'rostra-world-'));
  const handler = Promise.withResolvers<RequestListener>();
  const server = makeServer((req, res) => void handler.promise.then((handle) => handle(req, res)));
  const port = await listen(server);
  const root = `http://localhost:${port}`;
  const env = {
    PORT: String(port),
    ROOT_URL: root,
    DATA_DIR: dataDir,
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128',
    LOG_LEVEL: 'debug',
    ...(options.mail && { SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'Rostra <rostra@example.org>' }),
    ...options.env,
  };
  const config = readConfig(platforms.values(), env);
  const log: string[] = [];
  const mails: OutgoingMail[] = [];
  const clock = after?.clock ?? fakeClock();
  const product = await compose(config, {
    clock,
    log: makeLog(config.log, { write: (line) => void log.push(line) }),
    sealer: makeSealer(['11'.repeat(32)]),
    port,
    store: options.surroundings?.store ?? (await (options.store ? openStore(options.store) : openMemoryStore())),
    sandboxFile: ':memory:',
    openSandbox: openTestSandbox,
    checkOutput: true,
    toolsets,
    webhookCa: receiverCertificates.ca,
    workshop: sharedWorkshop,
    mailTransport: { send: async (mail) => void mails.push(mail) },
    ...options.surroundings,
  });
  const { gate = (_req, _res, pass) => pass() } = options;
  handler.resolve((req, res) => gate(req, res, () => product.handle(req, res)));
  const receivers: Receiver[] = [];
  let ending: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await product.stop();
    await stopServer(server);
    await product.close();
  }
  const end = () => (ending ??= stop());
  atEnd(async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const owner =
    after === undefined
      ? (await product.modules.users.create('owner@example.org', 'Owner'))!
      : { userId: after.userId, workspaceId: after.workspaceId };
  const authority = authorityOver(owner.workspaceId);
  const { raw_key: key } = await product.modules.keys.create(authority, owner.userId, 'test', {});
  const brandId = (await product.modules.brands.list(authority))[0]!.id;
  await product.start();
  // What platforms are asked of their own accord waits for `settle`, so that no test races with it.
  await product.pollers.find(({ name }) => name === 'inbox')!.stop();

  const world: World = {
    product,
    config,
    clock,
    root,
    key,
    ...owner,
    brandId,
    log,
    mails,
    async rest(call, body, { key: sent = key, headers = {} } = {}) {
      const answer = await askRest(root, sent, call, body, headers);
      // An answer may tell of the error of something else.
      const { code, message } = (answer.status >= 400 && answer.body.error) || {};
      checkRoute(call, { status: answer.status, code, message });
      return answer;
    },
    async mcp(tool, input = {}, { key: sent = key } = {}) {
      const { isError, body } = await askTool(root, sent, tool, input);
      checkTool(tool, isError ? body.error : { code: undefined });
      return { isError, body };
    },
    newKey: async (limits = {}) =>
      (await product.modules.keys.create(authority, owner.userId, 'limited', limits)).raw_key,
    async stranger() {
      const other = (await product.modules.users.create(`stranger-${Math.random()}@example.org`, 'Stranger'))!;
      const made = await product.modules.keys.create(authorityOver(other.workspaceId), other.userId, 'stranger', {});
      return { key: made.raw_key, workspaceId: other.workspaceId };
    },
    async connect(person = 0, brand) {
      const ask = { platform: 'bluesky', brand_id: brand, metadata: credentialsOf(world, person) };
      const { status, body } = await world.rest('POST /v1/accounts/connect', ask);
      if (status !== 201) throw new Error(JSON.stringify(body));
      // The first poll is over, and meets nothing that a test does next.
      await world.settle();
      const accounts = (await world.rest('GET /v1/accounts')).body.data as Json[];
      return accounts.find(({ id }) => id === body.account_id);
    },
    async receive(events) {
      const receiver = await startReceiver();
      receivers.push(receiver);
      const { status, body } = await world.rest('POST /v1/webhooks', { url: receiver.url, events });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return { ...receiver, id: body.id as string, secret: body.secret as string };
    },
    async settle() {
      // Work wakes other work by commits, and pollers start some, too: nothing is due any more when a whole round
      // started nothing and saw nothing end.
      const pools = [product.posts.worker, ...Object.values(product.queues)];
      const workers = [...pools, product.delivery];
      let events = 0;
      const stops = pools.map((pool) => pool.onFree(() => void (events += 1)));
      for (let quiet = 0, seen = 0; quiet < 2; seen = events) {
        for (const worker of workers) events += await worker.tick();
        for (const worker of workers) await worker.idle();
        // What the simulators push is in our queue before the next look.
        await product.sandbox?.settle();
        quiet = events === seen ? quiet + 1 : 0;
      }
      for (const stop of stops) stop();
    },
    async pass(ms) {
      clock.move(ms);
      await world.settle();
    },
    end,
  };
  return world;
}

/** A fixture that is made once for a file, in a world of its own. */
export const onceAFile = <T>(make: (world: World) => T | Promise<T>) =>
  forFile(async (atEnd) => make(await makeWorld({}, atEnd)));

/**
 * A test that has a world of its own when it names one, and an account in it, or those of alice and bob; `shared` is a
 * world for a whole file.
 */
export const it = test
  .extend('world', () => makeWorld())
  .extend('account', ({ world }) => world.connect())
  .extend('pair', async ({ world }): Promise<readonly [alice: Json, bob: Json]> => [
    await world.connect(0),
    await world.connect(1),
  ])
  .extend(
    'shared',
    { scope: 'file' },
    onceAFile((world) => world),
  );
