import { HOUR } from '#kernel/clock.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askRest, type Answer } from '../harness/calls/requests.ts';
import { withFolder, type Running } from './server.ts';

const SLOW_TWIN = fileURLToPath(new URL('slow-twin.ts', import.meta.url));
/** How many requests that set the stage are under way at once. */
const ABREAST = 32;

/** Requests to write that a platform has had, and how long it took to answer all of them. */
type Written = Readonly<{ count: number; ms: number }>;

/** A platform that takes so long to answer, and more when it is busy. */
export type Platform = Readonly<{
  settings: Readonly<Record<string, string>>;
  url: string;
  written(): Promise<Written>;
}>;
export type Caller = Readonly<{ server: Pick<Running, 'url'>; key: string }>;

type Person = Readonly<{ handle: string; credentials: Readonly<Record<string, string>> }>;

/** Runs the simulator of Bluesky as a process of its own that answers each call so many milliseconds late. */
export function withPlatform<T>(delayMs: number, work: (platform: Platform) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const child = fork(SLOW_TWIN, [join(folder, 'twin.db'), String(delayMs)]);
    const told = async <A>() => (await once(child, 'message'))[0] as A;
    try {
      const url = `${await told<string>()}/sandbox`;
      const settings = { SANDBOX_URL: url, ALLOW_PRIVATE_NETWORK: '127.0.0.0/8' };
      const written = () => {
        child.send('written');
        return told<Written>();
      };
      return await work({ settings, url, written });
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
}

/** Makes people at the platform and connects them; answers the ids of their accounts. */
export function connectPeople({ url }: Platform, caller: Caller, count: number): Promise<readonly string[]> {
  return abreast(count, async (n) => {
    const person = { network: 'bluesky', handle: `bench-${n}.sandbox.test` };
    const { handle, credentials } = done(await askRest(url, null, 'POST /__control/people', person)).data as Person;
    const metadata = { identifier: handle, app_password: credentials['app_password'] };
    return done(await ask(caller, 'POST /v1/accounts/connect', { platform: 'bluesky', metadata })).account_id as string;
  });
}

/** Schedules posts on accounts in turn, evenly over a time that begins far enough from now; answers when. */
export async function schedule(
  caller: Caller,
  { posts, accounts, spreadMs }: Readonly<{ posts: number; accounts: readonly string[]; spreadMs: number }>,
): Promise<number> {
  const from = Date.now() + HOUR;
  await abreast(posts, async (n) => {
    const scheduled_at = new Date(from + Math.floor((n / posts) * spreadMs)).toISOString();
    const account_ids = [accounts[n % accounts.length]];
    const post = { text: `Post ${n}`, account_ids, scheduled_at, skip_duplicate_check: true };
    done(await ask(caller, 'POST /v1/posts', post));
  });
  return from;
}

/** How long to wait for what another process has written to be noticed: a server looks once a second. */
export const NOTICE_MS = 3000;

/** The statements that make scheduled posts due so much sooner. */
export const sooner = (ms: number) => [
  `update posts set scheduled_at = scheduled_at - ${ms} where status = 'scheduled'`,
  `update targets set due_at = due_at - ${ms} where status = 'scheduled'`,
];

/** Calls the server as its owner. */
export const ask = ({ server, key }: Caller, call: string, body?: object) => askRest(server.url, key, call, body);

/** The body of an answer that is a success. */
export function done({ status, body }: Answer): Answer['body'] {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Does something so many times, several at once; answers the results in order. */
async function abreast<T>(count: number, work: (n: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: Math.min(ABREAST, count) }, worker));
  return results;
}
