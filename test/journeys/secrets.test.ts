import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeSealer } from '#kernel/seal.ts';
import { textsIn } from '../harness/folders.ts';
import { png } from '../harness/media-samples.ts';
import { migratedFile } from '../harness/stores/files.ts';
import { makeWorld, type Answer, type World } from '../harness/world.ts';

const it = test.extend('world', () => openWorld());

const MASTER_KEY = '5a'.repeat(32);
const METRICS_TOKEN = 'metrics-token-of-this-test';
const sealer = makeSealer([MASTER_KEY]);

/** Everything that must never be seen in clear, by what it is. */
type Secrets = Map<string, string>;

/** A world on a file, and every body it answered a refusal with. */
async function openWorld() {
  const { folder, file } = await migratedFile();
  const world = await makeWorld({
    store: { file, synchronous: 'NORMAL' },
    env: { METRICS_TOKEN, LOG_LEVEL: 'trace' },
    surroundings: { sealer },
  });
  const refusals: string[] = [];
  const rest: World['rest'] = async (route, body, options) => {
    const answer = await world.rest(route, body, options);
    if (answer.status >= 400) refusals.push(JSON.stringify(answer.body));
    return answer;
  };
  const mcp: World['mcp'] = async (tool, input, options) => {
    const answer = await world.mcp(tool, input, options);
    if (answer.isError) refusals.push(JSON.stringify(answer.body));
    return answer;
  };
  return { world: { ...world, rest, mcp }, folder, refusals };
}

/** The tokens of every account, as they are now. */
async function collectTokens(world: World, secrets: Secrets): Promise<void> {
  const accounts = await world.product.store.db.selectFrom('accounts').select(['id', 'session']).execute();
  for (const { id, session } of accounts) {
    const { accessJwt, refreshJwt } = JSON.parse(sealer.open(session, `accounts.session.${id}`));
    secrets.set(`access token ${secrets.size}`, accessJwt);
    secrets.set(`refresh token ${secrets.size}`, refreshJwt);
  }
}

/** A day with all that can go wrong, and what was secret about it. */
async function journey(world: World): Promise<Secrets> {
  const { sandbox } = world.product;
  const secrets: Secrets = new Map([
    ['master key', MASTER_KEY],
    ['metrics token', METRICS_TOKEN],
    ['key', world.key],
  ]);
  const people = sandbox!.people();
  const upset = (person: number, kind: 'throttled' | 'expired' | 'lost' | 'error_after' | 'revoked', times = 1) =>
    sandbox!.setFault({ network: 'bluesky', person: people[person]!.handle, kind, times });
  people.forEach(({ credentials }, index) =>
    Object.entries(credentials).forEach(([name, value]) => secrets.set(`${name} of person ${index}`, value)),
  );
  const metadata = (person: number) => ({
    identifier: people[person]!.handle,
    app_password: people[person]!.credentials['app_password']!,
  });
  const connect = (person: number, more: object = {}): Promise<Answer> =>
    world.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata: { ...metadata(person), ...more } });
  const publish = (account_id: string, text: string) =>
    world.rest('POST /v1/posts', { text, account_ids: [account_id], publish_now: true });

  // Keys, used and misused.
  const { body: made } = await world.rest('POST /v1/keys', { name: 'bot' });
  const { body: rotated } = await world.rest(`POST /v1/keys/${made.id}/rotate`);
  secrets.set('rotated away key', made.raw_key).set('fresh key', rotated.raw_key);
  await world.rest('GET /v1/brands', undefined, { key: made.raw_key });
  await world.rest('GET /v1/brands', undefined, { key: rotated.raw_key });
  await world.rest(`GET /v1/brands?access_token=${rotated.raw_key}&limit=${rotated.raw_key}`);
  await world.rest(`GET /v1/${rotated.raw_key}`);
  await world.rest('GET /v1/posts', undefined, {
    key: null,
    headers: { 'X-Request-ID': rotated.raw_key, Cookie: `k=${rotated.raw_key}` },
  });
  await world.rest(`DELETE /v1/keys/${made.id}`);
  await world.rest('GET /v1/brands', undefined, { key: rotated.raw_key });
  await fetch(`${world.root}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });

  // A receiver that fails, and that says back what it was sent.
  const receiver = await world.receive(['account.connected', 'account.disconnected', 'post.published', 'post.failed']);
  secrets.set('webhook secret', receiver.secret);
  receiver.answer(500, 500, 400, 302);
  await world.rest(`POST /v1/webhooks/${receiver.id}/test`, { event_type: 'test', payload: { a: 1 } });

  // Connecting: refused in every way, by form and by credentials, and then not.
  await connect(0, { app_password: 'wrng-wrng-wrng-wrng' });
  secrets.set('mistyped password', 'wrng-wrng-wrng-wrng');
  upset(0, 'throttled');
  await connect(0);
  upset(0, 'error_after');
  await connect(0);
  const { body: started } = await world.rest(
    'GET /v1/oauth/url?platform=bluesky&redirect_uri=https://app.example.org/',
  );
  secrets.set('connect state', started.state);
  await submitForm(started.auth_url, metadata(1), secrets);
  await fetch(`${started.auth_url}x`);
  const { status, body: first } = await connect(0);
  expect([status, first]).toMatchObject([201, { platform: 'bluesky' }]);
  await collectTokens(world, secrets);

  // Media by signed addresses, good and bad ones.
  const { body: address } = await world.rest('GET /v1/media/upload-url?media_type=image/png&filename=a.png');
  secrets.set('upload address', address.upload_url.split('/').at(-1).split('.').at(-1));
  await fetch(address.upload_url, { method: 'PUT', body: png() });
  await fetch(address.upload_url, { method: 'PUT', body: png() });
  await fetch(`${address.upload_url}x`, { method: 'PUT', body: png() });
  const { body: item } = await world.rest(`POST /v1/media/${address.media_id}/verify`);
  secrets.set('media address', item.url.split('/').at(-2).split('.').at(-1));
  await fetch(item.url);
  await fetch(item.url.replace('/media/', '/media/x'));

  // Publishing, with every fault of the platform, and sessions that are renewed.
  const input = { text: 'a', media_ids: [item.id], account_ids: [first.account_id], publish_now: true };
  expect((await world.mcp('create_post', input)).body).toMatchObject({ status: 'published' });
  for (const kind of ['expired', 'throttled', 'lost', 'error_after'] as const) {
    upset(0, kind);
    await publish(first.account_id, kind);
    await world.pass(60_000);
    await collectTokens(world, secrets);
  }
  for (let round = 0; round < 3; round += 1) {
    await world.pass(2 * 3_600_000);
    await collectTokens(world, secrets);
  }
  upset(0, 'revoked');
  await publish(first.account_id, 'too late');
  await world.mcp('create_post', { ...input, text: 'too late, too' });
  await world.rest(`DELETE /v1/accounts/${first.account_id}`);
  await world.pass(24 * 3_600_000);
  return secrets;
}

async function submitForm(authUrl: string, fields: Record<string, string>, secrets: Secrets): Promise<void> {
  const page = await fetch(authUrl);
  const html = await page.text();
  const form_token = /[0-9a-f]{64}(?=")/.exec(/<input[^>]*form_token[^>]*>/.exec(html)![0])![0];
  secrets.set('form token', form_token);
  const headers = { Cookie: page.headers.get('set-cookie')!.split(';')[0]!, Origin: new URL(authUrl).origin };
  secrets.set('form cookie', headers.Cookie.split('.').at(-1)!);
  const send = (more: object) =>
    fetch(authUrl, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ form_token, ...fields, ...more }),
    });
  expect(await (await send({ app_password: 'typo-typo-typo-typo' })).text()).not.toContain('typo-typo-typo-typo');
  secrets.set('password with a typo', 'typo-typo-typo-typo');
  expect((await send({})).status).toBe(302);
}

/** Every row of every table, as text. */
async function contentOf(world: World): Promise<Map<string, string>> {
  const { db } = world.product.store;
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  const content = new Map<string, string>();
  for (const { name } of rows)
    content.set(name, JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows));
  return content;
}

/** The bytes of the database and its log; copied by another process, or closing them here would drop SQLite's locks. */
function bytesOf(folder: string): string {
  const copy = `${folder}-copy`;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  execFileSync('cp', ['-r', folder, copy]);
  return textsIn(copy).join('\n');
}

/** The spellings a secret could stand in. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, '').slice(0, -2),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}

function leaks(secrets: Secrets, text: string): string[] {
  return [...secrets].filter(([, secret]) => spellings(secret).some((one) => text.includes(one))).map(([name]) => name);
}

it('secrets are nowhere in clear: log, refusals, events, deliveries, database file', async () => {
  const { world, folder, refusals } = await openWorld();
  const secrets = await journey(world);
  for (const [name, secret] of secrets) expect([name, secret.length > 15]).toEqual([name, true]);
  expect(new Set(secrets.values()).size).toBeGreaterThan(20);

  const content = await contentOf(world);
  const bytes = bytesOf(folder);
  const sent = await world.rest('GET /v1/webhooks');
  const places = new Map<string, string>([
    ['log lines', world.log.join('\n')],
    ['refusals', refusals.join('\n')],
    ['list of webhooks', JSON.stringify(sent.body)],
    ['database file', bytes],
    ...[...content].map(([table, text]) => [`table ${table}`, text] as const),
  ]);
  for (const [place, text] of places) expect([place, leaks(secrets, text)]).toEqual([place, []]);

  // The search can find: this is in clear where it is looked for.
  const { handle } = world.product.sandbox!.people()[1]!;
  const found: readonly (readonly [place: string, word: string])[] = [
    ['log lines', 'bluesky'],
    ['refusals', 'request_id'],
    ['list of webhooks', 'post.published'],
    ...['database file', 'table accounts', 'table events', 'table log'].map((place) => [place, handle] as const),
    ...['deliveries', 'delivery_attempts', 'keys', 'endpoints', 'publish_log'].map(
      (name) => [`table ${name}`, '"id"'] as const,
    ),
  ];
  for (const [place, word] of found)
    expect([place, leaks(new Map([[word, word]]), places.get(place)!)]).toEqual([place, [word]]);
  expect(world.log.length).toBeGreaterThan(60);
  expect(refusals.length).toBeGreaterThan(8);
});

it('an account that goes takes its tokens along, sealed as they were', async ({ world: { world } }) => {
  const account = await world.connect();
  const { session } = await world.product.store.db.selectFrom('accounts').select('session').executeTakeFirstOrThrow();
  const tablesWith = async () =>
    [...(await contentOf(world))].filter(([, text]) => text.includes(session)).map(([name]) => name);
  expect(await tablesWith()).toEqual(['accounts']);
  await world.rest(`DELETE /v1/accounts/${account.id}`);
  await world.settle();
  expect(await tablesWith()).toEqual([]);
});
