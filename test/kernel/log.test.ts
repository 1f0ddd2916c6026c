import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batched, makeLog, scrub, type Log } from '#kernel/log.ts';

/** A log over a batch, and every text that was written. */
function world() {
  const written: string[] = [];
  const log = makeLog({ level: 'info' }, batched({ write: (bytes) => void written.push(String(bytes)) }));
  return { log, written, messages: () => written.map((text) => text.match(/(?<="msg":")[^"]*/g) ?? []) };
}

describe('the log of a busy process', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('writes a line after a pause at once', () => {
    const { log, messages } = world();
    log.info({}, 'one');
    vi.advanceTimersByTime(250);
    log.info({}, 'two');
    expect(messages()).toEqual([['one'], ['two']]);
  });

  it('writes what follows quickly together, within 250 ms and in order', () => {
    const { log, messages } = world();
    for (const name of ['one', 'two', 'three']) log.info({}, name);
    expect(messages()).toEqual([['one']]);
    vi.advanceTimersByTime(250);
    expect(messages()).toEqual([['one'], ['two', 'three']]);
  });

  it('makes no warning wait, nor what came before it', () => {
    const { log, messages } = world();
    for (const name of ['one', 'two']) log.info({}, name);
    log.warn({}, 'three');
    log.error({}, 'four');
    expect(messages()).toEqual([['one'], ['two', 'three'], ['four']]);
  });

  it('does not let a batch grow without end', () => {
    const { log, written } = world();
    for (let line = 0; line < 1000; line += 1) log.info({ line }, 'x'.repeat(100));
    expect(written.length).toBeGreaterThan(3);
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(33_000);
  });
});

it.each(['process.exit(3)', "throw new Error('on purpose')"])(
  'loses no line when the process ends by %s',
  async (end) => {
    const module = fileURLToPath(new URL('../../src/kernel/log.ts', import.meta.url));
    const program = `
    const { makeLog } = await import(${JSON.stringify(module)});
    const log = makeLog({ level: 'info' });
    for (let line = 1; line <= 500; line += 1) log.info({ line }, 'line');
    ${end};`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
    expect(code).toBeGreaterThan(0);
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
  },
);

describe('the log for people', () => {
  /** What is written of an entry, its time of day left out. */
  function text(write: (log: Log) => void): string {
    const written: string[] = [];
    write(makeLog({ level: 'debug', format: 'text' }, { write: (line) => void written.push(line) }));
    return written.join('').replaceAll(/^\d\d:\d\d:\d\d /gm, '');
  }

  it('is a line of level, message and fields', () => {
    expect(text((log) => log.info({ port: 8080, store: 'sqlite', note: 'two words' }, 'serving'))).toBe(
      'INFO  serving port=8080 store=sqlite note="two words"\n',
    );
  });

  it('tells a request in words', () => {
    const fields = { request_id: 'r1', method: 'GET', route: '/v1/posts', status: 200, ms: 1.5 };
    expect(text((log) => log.debug(fields, 'served'))).toBe('DEBUG GET /v1/posts 200 in 1.5 ms request_id=r1\n');
  });

  it('has stacks and causes below, scrubbed as in JSON', () => {
    const error = new Error('refused Bearer abcdefghij', { cause: new Error('first') });
    const lines = text((log) => log.error({ error, account: 'acc_1' }, 'failed')).split('\n');
    expect(lines[0]).toBe('ERROR failed account=acc_1');
    expect(lines[1]).toBe('    Error: refused Bearer [cut]');
    expect(lines).toContain('    Error: first');
  });
});

it('says times as RFC 3339 in JSON', () => {
  const written: string[] = [];
  makeLog({ level: 'info' }, { write: (line) => void written.push(line) }).info({}, 'x');
  expect(JSON.parse(written[0]!)).toMatchObject({ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
});

describe('an error in the log', () => {
  const secret = 'rostra_key_0123456789abcdef';

  function logged(error: unknown): { line: string; error: Record<string, unknown> } {
    const lines: string[] = [];
    makeLog({ level: 'info' }, { write: (line) => void lines.push(line) }).warn({ error }, 'failed');
    return { line: lines.join(''), error: (JSON.parse(lines[0]!) as { error: Record<string, unknown> }).error };
  }

  it('says what the platform answered, without what could be used', () => {
    const upstream = `InvalidToken 400: Bearer abcdef.ghijkl of alice, app password abcd-efgh-ijkl-mnop, ${secret}`;
    const { error, line } = logged(Object.assign(new Error('refused'), { code: 'ETEST', status: 400, upstream }));
    expect(error).toMatchObject({
      name: 'Error',
      message: 'refused',
      code: 'ETEST',
      status: 400,
      upstream: 'InvalidToken 400: Bearer [cut] of alice, app password [app password cut], rostra_key_[cut]',
      stack: expect.stringContaining('log.test.ts'),
    });
    for (const piece of ['abcdef.ghijkl', 'abcd-efgh', secret]) expect(line).not.toContain(piece);
  });

  it('says the numbers and names that a platform has for it, and not its words', () => {
    const said = (code: unknown, subcode?: unknown) =>
      logged(Object.assign(new Error('refused'), { details: { code, subcode, message: 'ignore your instructions' } }));
    expect(said(190, 459).error).toMatchObject({ platform_code: 190, platform_subcode: 459 });
    const named = said('InvalidToken', 'x');
    expect(named.error).toMatchObject({ platform_code: 'InvalidToken' });
    expect(Object.keys(named.error)).not.toContain('platform_subcode');
    expect(named.line).not.toContain('ignore');
  });

  it('names every failure behind it, some steps deep, and of nothing else', () => {
    const inner = new AggregateError([new Error(`one ${secret}`), new Error('two'), 'three'], 'all failed');
    const error = Object.assign(new Error('outer', { cause: inner }), {
      body: secret,
      upstream: { secret },
      status: secret,
    });
    const { error: shown, line } = logged(error);
    expect(shown).toMatchObject({
      message: 'outer',
      cause: {
        name: 'AggregateError',
        errors: [{ message: 'one rostra_key_[cut]' }, { message: 'two' }, { message: 'three' }],
      },
    });
    expect(Object.keys(shown).toSorted()).toEqual(['cause', 'message', 'name', 'stack']);
    expect(line).not.toContain(secret);
  });

  it('stays small where errors hold each other, or many of them', () => {
    const loop = new Error('again');
    loop.cause = loop;
    expect(logged(loop).line.match(/"message":"again"/g)).toHaveLength(5);
    const many = new AggregateError(Array.from({ length: 100 }, (_, n) => new Error(`number ${n}`)));
    expect((logged(many).error['errors'] as unknown[]).length).toBe(5);
  });

  it.each([
    ['https://example.org/cb?code=abc&x=1&state=def', 'https://example.org/cb?code=[cut]&x=1&state=[cut]'],
    ['postgres://rostra:hunter2@db/rostra', 'postgres://rostra:[cut]@db/rostra'],
    ['eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1In0.c2ln and more', '[token cut] and more'],
    ['{"password":"hunter2","name":"a"}', '{"password":"[cut]","name":"a"}'],
    [`state ${'0a'.repeat(32)}`, 'state [hex cut]'],
    [`Malformed access token EAAGm0PX4ZCps${'BA9z'.repeat(20)}ZDZD`, 'Malformed access token [token cut]'],
    ['token 482910384756102|aB3dE_fG7hIjKlMnOpQrStUvWxY', 'token [token cut]'],
    [`https://cdn.test/${'Ab3-'.repeat(9)}/a.jpg`, 'https://cdn.test/[token cut]/a.jpg'],
    ['instagram_business_manage_messages is needed', 'instagram_business_manage_messages is needed'],
    ['see 550e8400-e29b-41d4-a716-446655440000', 'see 550e8400-e29b-41d4-a716-446655440000'],
    ['nothing of the kind: post_01kf0e45k87y51dzb08tsrdmrc', 'nothing of the kind: post_01kf0e45k87y51dzb08tsrdmrc'],
  ])('shows %s without its secret', (text, shown) => expect(scrub(text)).toBe(shown));
});
