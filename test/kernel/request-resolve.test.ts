import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeResolve, type Query } from '../../src/kernel/resolve.ts';
import { failure } from './request-world.ts';

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

describe('resolving names', () => {
  it('asks nobody for literals, loopback names and the hosts file', async () => {
    const { asked, query } = desk();
    const resolve = makeResolve({ query, hostsFile });
    expect(await resolve('192.0.2.1', patient())).toEqual(['192.0.2.1']);
    expect(await resolve('[2001:db8::1]', patient())).toEqual(['2001:db8::1']);
    expect(await resolve('localhost', patient())).toEqual(['127.0.0.1', '::1']);
    expect(await resolve('listed.example', patient())).toEqual(['10.0.0.7']);
    expect(await resolve('alias.', patient())).toEqual(['10.0.0.7', 'fd00::7']);
    expect(asked).toEqual([]);
  });

  it('keeps what was found for 30 seconds and failures for 5', async () => {
    let now = 0;
    let answers: string[] = ['192.0.2.1'];
    let count = 0;
    const query = async () => ((count += 1), answers);
    const resolve = makeResolve({ query, hostsFile, now: () => now });
    expect(await resolve('a.example', patient())).toEqual(['192.0.2.1']);
    answers = [];
    now = 29_999;
    expect(await resolve('a.example.', patient())).toEqual(['192.0.2.1']);
    expect(count).toBe(1);
    now = 30_000;
    expect((await failure(resolve('a.example', patient()))).kind).toBe('dns');
    answers = ['192.0.2.2'];
    now = 34_999;
    expect((await failure(resolve('a.example', patient()))).kind).toBe('dns');
    expect(count).toBe(2);
    now = 35_000;
    expect(await resolve('a.example', patient())).toEqual(['192.0.2.2']);
  });

  it('asks once for many callers, and gives up when the last of them does', async () => {
    const { asked, query, settled } = desk();
    const resolve = makeResolve({ query, hostsFile });
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failure(resolve('a.example', one.signal));
    const second = failure(resolve('a.example', two.signal));
    await settled(1);
    one.abort('timeout');
    expect((await first).kind).toBe('timeout');
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
    two.abort('aborted');
    expect((await second).kind).toBe('aborted');
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
    const third = resolve('a.example', patient());
    await settled(2);
    asked[1]?.answer(['192.0.2.9']);
    expect(await third).toEqual(['192.0.2.9']);
  });

  it('asks for 64 names at once; the next waits in line, and only until its own deadline', async () => {
    const { asked, query, settled } = desk();
    const resolve = makeResolve({ query, hostsFile });
    const hung = new AbortController();
    const waiting = Array.from({ length: 64 }, (_, at) => failure(resolve(`hung${at}.example`, hung.signal)));
    await settled(64);
    const impatient = new AbortController();
    const gone = failure(resolve('impatient.example', impatient.signal));
    const next = resolve('next.example', patient());
    impatient.abort('timeout');
    expect((await gone).kind).toBe('timeout');
    expect(asked.length).toBe(64);
    asked[0]?.fail(new Error('SERVFAIL'));
    expect((await waiting[0])?.kind).toBe('dns');
    await settled(65);
    expect(asked[64]?.name).toBe('next.example');
    asked[64]?.answer(['192.0.2.1']);
    expect(await next).toEqual(['192.0.2.1']);
    hung.abort('timeout');
    expect(new Set((await Promise.all(waiting.slice(1))).map(({ kind }) => kind))).toEqual(new Set(['timeout']));
    const after = Array.from({ length: 64 }, (_, at) => resolve(`after${at}.example`, patient()));
    await settled(129);
    for (const question of asked.slice(65)) question.answer(['192.0.2.1']);
    expect((await Promise.all(after)).length).toBe(64);
  });
});
