import { describe, expect, it } from 'vitest';
import { ApiError } from '#kernel/errors.ts';
import { makeAttempts, type Flow, type LoginResult } from '#serve/web/connect/attempts.ts';
import { deferred } from '../../harness/worlds/web.ts';

const time = { now: 0 };
const open = () => makeAttempts({ now: () => time.now, after: () => () => undefined });
const flow = (id: string, workspaceId = 'ws_1'): Flow => ({ id, workspaceId, expiresAt: time.now + 900_000 });
const GONE: LoginResult = { location: 'https://app.example.org/' };
const codeOf = (outcome: LoginResult) => ('refusal' in outcome ? outcome.refusal.code : undefined);

describe('logins at once', () => {
  it('are few for one workspace, and leave room for others', async () => {
    const attempts = open();
    const wait = deferred<LoginResult>();
    const slow = () => wait.promise;
    const running = ['a', 'b', 'c'].map((id) => attempts.attempt(flow(id), 'print', slow));
    expect(codeOf(await attempts.attempt(flow('d'), 'print', slow))).toBe('http.429');
    expect(await attempts.attempt(flow('e', 'ws_2'), 'print', () => Promise.resolve(GONE))).toEqual(GONE);
    wait.settle(GONE);
    await Promise.all(running);
    expect(await attempts.attempt(flow('d'), 'print', () => Promise.resolve(GONE))).toEqual(GONE);
  });

  it('are few in all', async () => {
    const attempts = open();
    const wait = deferred<LoginResult>();
    const running = Array.from({ length: 16 }, (_, at) =>
      attempts.attempt(flow(`f${at}`, `ws_${at}`), '', () => wait.promise),
    );
    expect(codeOf(await attempts.attempt(flow('more', 'ws_more'), '', () => Promise.resolve(GONE)))).toBe('http.429');
    wait.settle(GONE);
    await Promise.all(running);
  });

  it('are one when the same form is sent twice, and count as one', async () => {
    const attempts = open();
    const refused: LoginResult = { refusal: new ApiError('platform.bluesky.auth'), counts: true };
    const wait = deferred<LoginResult>();
    const lasts: boolean[] = [];
    const login = (last: boolean) => {
      lasts.push(last);
      return wait.promise;
    };
    const both = [attempts.attempt(flow('a'), 'same', login), attempts.attempt(flow('a'), 'same', login)];
    expect(codeOf(await attempts.attempt(flow('a'), 'another', login))).toBe('http.429');
    wait.settle(refused);
    expect(await Promise.all(both)).toEqual([refused, refused]);
    for (let times = 0; times < 9; times++) await attempts.attempt(flow('a'), 'same', login);
    expect(lasts).toEqual([...Array.from({ length: 9 }, () => false), true]);
  });

  it('give their place back when they break', async () => {
    const attempts = open();
    for (let times = 0; times < 5; times++) {
      await expect(
        attempts.attempt(flow('a'), '', () => {
          throw new Error('broken');
        }),
      ).rejects.toThrow('broken');
    }
    expect(await attempts.attempt(flow('a'), '', () => Promise.resolve(GONE))).toEqual(GONE);
  });
});

describe('the end of a connection', () => {
  it('is remembered as long as the connection would have lived', async () => {
    const attempts = open();
    attempts.end(flow('a'), 'https://a.example/');
    expect(await attempts.endOf('a')).toBe('https://a.example/');
    time.now += 900_001;
    attempts.end(flow('b'), 'https://b.example/');
    expect(await attempts.endOf('a')).toBeUndefined();
  });

  it('waits for a login that is under way', async () => {
    const attempts = open();
    const wait = deferred<LoginResult>();
    const login = attempts.attempt(flow('a'), '', () => wait.promise);
    const end = attempts.endOf('a');
    wait.settle(GONE);
    await login;
    expect(await end).toBe('https://app.example.org/');
  });
});
