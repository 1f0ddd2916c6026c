import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeResolve, type Query } from '#kernel/net/resolve.ts';
import { failure } from '../harness/worlds/outbound.ts';

let folder: string;
let hostsFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '# names\n10.0.0.7\tListed.example alias # why\nfd00::7 alias\n\nbroken\n');
});
afterAll(() => rm(folder, { recursive: true }));

const patient = () => new AbortController().signal;

/** Questions that are answered by hand. */
function desk() {
  const asked: {
    name: string;
    signal: AbortSignal;
    answer: (addresses: string[]) => void;
    fail: (e: Error) => void;
  }[] = [];
  const query: Query = (name, signal) =>
    new Promise((answer, fail) => {
      asked.push({ name, signal, answer, fail });
    });
  /** Enough turns for the hosts file to be read and the next in line to ask. */
  const settled = async (count: number) => {
    while (asked.length < count) await new Promise(setImmediate);
  };
  return { asked, query, settled };
}

const never = () => () => {};

/** Timers that all fire when they are told to. */
function timers() {
  const set = new Set<() => void>();
  return {
    after(_ms: number, fn: () => void) {
      set.add(fn);
      return () => void set.delete(fn);
    },
    pass() {
      const due = [...set];
      set.clear();
      due.forEach((fn) => fn());
    },
  };
}

describe('resolving names', () => {
  it('asks nobody for literals, loopback names and the hosts file', async () => {
    const { asked, query } = desk();
    const resolve = makeResolve({ query, hostsFile });
    expect(await resolve('192.0.2.1', 'given', patient())).toEqual(['192.0.2.1']);
    expect(await resolve('[2001:db8::1]', 'given', patient())).toEqual(['2001:db8::1']);
    expect(await resolve('localhost', 'given', patient())).toEqual(['127.0.0.1', '::1']);
    expect(await resolve('listed.example', 'given', patient())).toEqual(['10.0.0.7']);
    expect(await resolve('alias.', 'given', patient())).toEqual(['10.0.0.7', 'fd00::7']);
    expect(asked).toEqual([]);
  });

  it('keeps what was found for 30 seconds and failures for 5', async () => {
    let now = 0;
    let answers: string[] = ['192.0.2.1'];
    let count = 0;
    const query = async () => ((count += 1), answers);
    const resolve = makeResolve({ query, hostsFile, now: () => now });
    expect(await resolve('a.example', 'given', patient())).toEqual(['192.0.2.1']);
    answers = [];
    now = 29_999;
    expect(await resolve('a.example.', 'given', patient())).toEqual(['192.0.2.1']);
    expect(count).toBe(1);
    now = 30_000;
    expect((await failure(resolve('a.example', 'given', patient()))).kind).toBe('dns');
    answers = ['192.0.2.2'];
    now = 34_999;
    expect((await failure(resolve('a.example', 'given', patient()))).kind).toBe('dns');
    expect(count).toBe(2);
    now = 35_000;
    expect(await resolve('a.example', 'given', patient())).toEqual(['192.0.2.2']);
  });

  it('asks once for many callers, and gives up when the last of them does', async () => {
    const { asked, query, settled } = desk();
    const resolve = makeResolve({ query, hostsFile });
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failure(resolve('a.example', 'given', one.signal));
    const second = failure(resolve('a.example', 'given', two.signal));
    await settled(1);
    one.abort('timeout');
    expect((await first).kind).toBe('timeout');
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
    two.abort('aborted');
    expect((await second).kind).toBe('aborted');
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
    const third = resolve('a.example', 'given', patient());
    await settled(2);
    asked[1]?.answer(['192.0.2.9']);
    expect(await third).toEqual(['192.0.2.9']);
  });

  it('asks for 56 given names at once; the next waits in line, and only until its own deadline', async () => {
    const { asked, query, settled } = desk();
    const resolve = makeResolve({ query, hostsFile, after: never });
    const hung = new AbortController();
    const waiting = Array.from({ length: 56 }, (_, at) => failure(resolve(`hung${at}.example`, 'given', hung.signal)));
    await settled(56);
    const impatient = new AbortController();
    const gone = failure(resolve('impatient.example', 'given', impatient.signal));
    const next = resolve('next.example', 'given', patient());
    impatient.abort('timeout');
    expect((await gone).kind).toBe('timeout');
    expect(asked.length).toBe(56);
    asked[0]?.fail(new Error('SERVFAIL'));
    expect((await waiting[0])?.kind).toBe('dns');
    await settled(57);
    expect(asked[56]?.name).toBe('next.example');
    asked[56]?.answer(['192.0.2.1']);
    expect(await next).toEqual(['192.0.2.1']);
    hung.abort('timeout');
    expect(new Set((await Promise.all(waiting.slice(1))).map(({ kind }) => kind))).toEqual(new Set(['timeout']));
    const after = Array.from({ length: 56 }, (_, at) => resolve(`after${at}.example`, 'given', patient()));
    await settled(113);
    for (const question of asked.slice(57)) question.answer(['192.0.2.1']);
    expect((await Promise.all(after)).length).toBe(56);
  });

  it('keeps a few questions for names of our own', async () => {
    const { asked, query, settled } = desk();
    const resolve = makeResolve({ query, hostsFile, after: never });
    const hung = new AbortController();
    const waiting = Array.from({ length: 60 }, (_, at) => failure(resolve(`hung${at}.example`, 'given', hung.signal)));
    // In line as a given name, and yet asked for at once as one of ours.
    waiting.push(failure(resolve('platform.example', 'given', hung.signal)));
    await settled(56);
    const own = resolve('platform.example', 'own', patient());
    await settled(57);
    expect(asked[56]?.name).toBe('platform.example');
    asked[56]?.answer(['192.0.2.1']);
    expect(await own).toEqual(['192.0.2.1']);
    hung.abort('aborted');
    await Promise.all(waiting);
  });

  it('lets others pass a question that is not answered soon, and asks for its name aside the next time', async () => {
    const { asked, query, settled } = desk();
    const { after, pass } = timers();
    const resolve = makeResolve({ query, hostsFile, after });
    const first = new AbortController();
    const hang = (signal: AbortSignal) =>
      Array.from({ length: 200 }, (_, at) => failure(resolve(`hung${at}.example`, 'given', signal)));
    const once = hang(first.signal);
    const healthy = resolve('healthy.example', 'given', patient());
    for (const count of [56, 112, 168]) {
      await settled(count);
      pass();
    }
    await settled(201);
    expect(asked[200]?.name).toBe('healthy.example');
    asked[200]?.answer(['192.0.2.1']);
    expect(await healthy).toEqual(['192.0.2.1']);
    first.abort('timeout');
    await Promise.all(once);

    const second = new AbortController();
    const twice = hang(second.signal);
    const other = resolve('other.example', 'given', patient());
    await settled(402);
    expect(asked.slice(201).map(({ name }) => name)).toContain('other.example');
    asked.find(({ name }) => name === 'other.example')?.answer(['192.0.2.2']);
    expect(await other).toEqual(['192.0.2.2']);
    second.abort('timeout');
    await Promise.all(twice);
  });

  it('gives up the slow question that was asked first when there are more than 256', async () => {
    const { asked, query, settled } = desk();
    const { after, pass } = timers();
    const resolve = makeResolve({ query, hostsFile, after });
    const stop = new AbortController();
    const questions = Array.from({ length: 260 }, (_, at) =>
      failure(resolve(`slow${at}.example`, 'given', stop.signal)),
    );
    for (const count of [56, 112, 168, 224, 260]) {
      await settled(count);
      pass();
    }
    expect((await Promise.all(questions.slice(0, 4))).map(({ kind }) => kind)).toEqual(['dns', 'dns', 'dns', 'dns']);
    expect(asked.slice(0, 6).map(({ signal }) => signal.aborted)).toEqual([true, true, true, true, false, false]);
    stop.abort('timeout');
    await Promise.all(questions);
  });
});
