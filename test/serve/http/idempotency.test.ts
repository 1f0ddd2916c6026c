import { DAY } from '#kernel/clock.ts';
import { describe, expect, test } from 'vitest';
import { resealRows } from '#db/upkeep/reseal.ts';
import { authorityOver } from '#kernel/authority.ts';
import { makeSealer } from '#kernel/seal.ts';
import { fakeClock } from '../../harness/clock.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import type { Answered } from '../../harness/worlds/http.ts';
import { isReplay, LARGE, MASTER, openRepeats } from '../../harness/worlds/repeats.ts';

const LEASE = 15_000;

const early = { error: { code: 'resource.conflict', meta: { field: 'Idempotency-Key' } } };

function expectEarly(answered: Answered): void {
  expect(answered).toMatchObject({ status: 409, body: early, headers: { 'retry-after': '1' } });
}

function expectOther(answered: Answered): void {
  expect(answered).toMatchObject({ status: 409, body: early });
  expect(answered.headers).not.toHaveProperty('retry-after');
}

function expectReplay(answered: Answered, first: Answered): void {
  expect([answered.status, answered.text, isReplay(answered)]).toEqual([first.status, first.text, true]);
}

/** The status of an answer, and whether it is that to an earlier request. */
async function outcomeOf(asked: Promise<Answered>) {
  const answered = await asked;
  return [answered.status, isReplay(answered)];
}

/** What tests are given where they name it: a server, or two of one store, and what these have in common. */
const testOn = (stores: Stores) =>
  test
    .extend('repeats', () => openRepeats(stores))
    .extend('server', ({ repeats }) => repeats.start())
    .extend('pair', async ({ repeats }) => [await repeats.start(), await repeats.start()] as const)
    .extend('held', ({ repeats }) => repeats.held)
    .extend('ran', ({ repeats }) => repeats.ran)
    .extend('rows', ({ repeats }) => repeats.rows);

describeStores('an Idempotency-Key', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = testOn(stores);

  it('makes a repeat the answer of the first, and nothing else', async ({ server, ran }) => {
    const first = await server.post({ text: 'a' });
    expect(first).toMatchObject({ status: 201, body: { id: 'thing_1', text: 'a' } });
    expect(isReplay(first)).toBe(false);
    const again = await server.post({ text: 'a' });
    expectReplay(again, first);
    expect(again.headers['x-posts-remaining']).toBe('3');
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(ran).toEqual(['make_thing']);
  });

  it('compares what was said, not how', async ({ server, ran }) => {
    await server.post('{"text":"a","size":10,"parts":{"b":[1,{"d":2,"c":3}],"a":null}}');
    const same = ' {"parts": {"a": null, "b": [1.0, {"c": 3, "d": 2}]}, "size": 1e1, "text": "\\u0061"}';
    expect(await outcomeOf(server.post(same))).toEqual([201, true]);
    const others = [
      '{"text":"a","size":10,"parts":{"b":[{"d":2,"c":3},1],"a":null}}',
      '{"text":"a","size":10,"parts":{"b":[1,{"d":2,"c":3}]}}',
      '{"text":"b","size":10,"parts":{"b":[1,{"d":2,"c":3}],"a":null}}',
      '{"text":"a","size":"10","parts":{"b":[1,{"d":2,"c":3}],"a":null}}',
      '{}',
    ];
    for (const other of others) expectOther(await server.post(other));
    expect(ran).toHaveLength(1);
  });

  it('is of a path and a query too', async ({ server, ran }) => {
    const name = (path: string) => server.post({ text: 'a' }, { path });
    expect((await name('/things/t1/name')).status).toBe(200);
    expect(isReplay(await name('/things/t1/name/'))).toBe(true);
    expectOther(await name('/things/t2/name'));
    expect((await server.post({}, { path: '/things?size=1', key: 'q' })).status).toBe(201);
    expectOther(await server.post({}, { path: '/things?size=2', key: 'q' }));
    expect(ran).toEqual(['name_thing', 'make_thing']);
  });

  it('is of one operation and one caller', async ({ server, repeats: { callers, owner }, ran }) => {
    callers['other'] = { ...owner, id: 'key_2' };
    callers['app'] = { ...owner, kind: 'oauth' };
    await server.post({ text: 'a' });
    for (const options of [{ as: 'other' }, { as: 'app' }, { path: '/secrets' }])
      expect(await outcomeOf(server.post({ text: 'a' }, options))).toEqual([201, false]);
    expect(ran).toHaveLength(4);
  });

  it('is of a person, whichever of their dashboard tokens is sent', async ({ server, repeats: { callers, owner } }) => {
    callers['first'] = { ...owner, kind: 'dashboard', id: 'jti_1' };
    callers['next'] = { ...owner, kind: 'dashboard', id: 'jti_2' };
    callers['else'] = { ...owner, kind: 'dashboard', id: 'jti_3', userId: 'usr_2' };
    await server.post({}, { as: 'first' });
    expect(isReplay(await server.post({}, { as: 'next' }))).toBe(true);
    expect(isReplay(await server.post({}, { as: 'else' }))).toBe(false);
  });

  it('refuses a repeat while the first runs, in every process', async ({ pair: [here, there], held, ran }) => {
    const { answer: first, open } = await held(() => here.post({ text: 'a' }));
    for (const server of [here, there]) {
      expectEarly(await server.post({ text: 'a' }));
      expectOther(await server.post({ text: 'b' }));
    }
    open();
    const answered = await first;
    expectReplay(await there.post({ text: 'a' }), answered);
    expect(ran).toHaveLength(1);
  });

  it('lets one of many run that come at once', async ({ pair: servers, ran }) => {
    for (let round = 0; round < 10; round++) {
      const tries = [0, 1, 0, 1, 0, 1].map((which) => servers[which]!.post({ text: 'a' }, { key: `k${round}` }));
      const answers = await Promise.all(tries);
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      expect(made.filter((answered) => !isReplay(answered))).toHaveLength(1);
      answers.filter(({ status }) => status !== 201).forEach(expectEarly);
    }
    expect(ran).toHaveLength(10);
  });

  it('stays with a call that runs for long', async ({ repeats: { start }, held, ran }) => {
    const clock = fakeClock();
    const [here, there] = [await start(clock), await start(clock)];
    const { answer: first, open } = await held(() => here.post({}));
    for (let step = 0; step < 15; step++) {
      clock.move(20_000);
      await here.written();
    }
    expectEarly(await there.post({}));
    open();
    await first;
    expect(isReplay(await there.post({}))).toBe(true);
    expect(ran).toHaveLength(1);
    expect(clock.timers()).toBe(0);
  });

  it('is free again when its process died, and not before', async ({ pair: [dead, alive], held, ran, rows }) => {
    const { answer: lost, open } = await held(() => dead.post({ text: 'a' }));
    // The clock of the dead stands still: nobody renews its lease.
    alive.clock.move(LEASE - 1);
    expectEarly(await alive.post({ text: 'a' }));
    alive.clock.move(1);
    expectOther(await alive.post({ text: 'b' }));
    const next = await alive.post({ text: 'a' });
    expect([next.status, next.body.id, isReplay(next)]).toEqual([201, 'thing_2', false]);
    expect(ran).toHaveLength(2);

    // Should it only have slept, it tells its own client, and changes nothing that is kept.
    dead.clock.move(20_000);
    await dead.written();
    expect((await alive.post({ text: 'a' })).text).toBe(next.text);
    open();
    expect((await lost).body.id).toBe('thing_1');
    expect((await alive.post({ text: 'a' })).text).toBe(next.text);
    expect(await rows()).toHaveLength(1);
  });

  it('is not freed by a sleeper whose lease another has by now', async ({ pair: [asleep, alive], held, ran }) => {
    const post = (server: typeof alive) => server.post({ refuse: 'resource.not_supported' });
    const lost = await held(() => post(asleep));
    alive.clock.move(LEASE);
    const next = await held(() => post(alive));
    lost.open();
    expect((await lost.answer).status).toBe(501);
    expectEarly(await post(alive));
    next.open();
    await next.answer;
    expect(ran).toHaveLength(2);
  });

  it('keeps answers that stand', async ({ server }) => {
    const standing: readonly (readonly [number, object])[] = [
      [200, { status: 200 }],
      [207, { status: 207 }],
      [400, { refuse: 'validation.scope_invalid' }],
      [400, { text: 5 }],
      [403, { refuse: 'account.reconnection_required' }],
      [404, { refuse: 'post.not_found' }],
      [410, { refuse: 'resource.gone' }],
      [422, { refuse: 'post.publish_failed' }],
    ];
    for (const [status, body] of standing) {
      const key = JSON.stringify(body);
      const first = await server.post(body, { key });
      const again = await server.post(body, { key });
      expect([first.status, isReplay(first)]).toEqual([status, false]);
      expect([again.status, isReplay(again)]).toEqual([status, true]);
      const { request_id } = again.body;
      expect(again.body).toEqual({ ...first.body, ...(status >= 400 && { request_id }) });
      if (status >= 400) expect(request_id).toBe(again.headers['x-request-id']);
    }
  });

  it('keeps no answer that may be another the next time', async ({ server, ran, rows }) => {
    const passing: readonly (readonly [number, object])[] = [
      [401, { refuse: 'byok.credentials_invalid' }],
      [402, { refuse: 'billing.past_due' }],
      [403, { refuse: 'auth.leash_denied' }],
      [408, { refuse: 'http.429', status: 408 }],
      [409, { refuse: 'post.state_invalid' }],
      [429, { refuse: 'account.sync_cooldown' }],
      [500, { refuse: 'broken' }],
      [501, { refuse: 'resource.not_supported' }],
      [502, { refuse: 'platform.bluesky.api_error' }],
    ];
    for (const [status, body] of passing) {
      const before = ran.length;
      for (let time = 1; time <= 2; time++) {
        const answered = await server.post(body);
        expect([answered.status, isReplay(answered), ran.length - before]).toEqual([status, false, time]);
        expect(await rows()).toEqual([]);
      }
    }
    expect((await server.post({ text: 'something else' })).status).toBe(201);
  });

  it('shows a secret to whoever has the key, and to nobody else', async ({ server, ran, rows }) => {
    const secret = (text: string, key: string) => server.post({ text }, { path: '/secrets', key });
    const first = await secret('a', 'one');
    expect(first.body).toEqual({ id: 'thing_1', secret: 'open sesame' });
    expect(first.status).toBe(201);
    expectReplay(await secret('a', 'one'), first);
    expectOther(await secret('b', 'one'));
    const [row] = await rows();
    expect(JSON.stringify(row)).not.toContain('sesame');
    expect(makeSealer([MASTER]).open(row!.sealed, `idempotency.sealed.${row!.id}`)).toContain('sesame');

    for (const repeated of [false, true]) expect(await outcomeOf(secret('none', 'two'))).toEqual([400, repeated]);
    expect(ran).toHaveLength(2);
  });

  it('settles what is recorded where the answer is too large to be kept', async ({ server, ran }) => {
    const build = () => server.post({ size: LARGE.length }, { path: '/things/build' });
    const first = await build();
    expect(first.body).toEqual({ id: 'thing', text: LARGE });
    for (let time = 1; time <= 2; time++) expect((await build()).body).toEqual(first.body);
    expect(ran).toEqual(['build_thing', 'resume done', 'resume done']);
  });

  it('settles at once what a process that died has recorded', async ({ pair: [dead, alive], held, ran, rows }) => {
    const { answer: lost, open } = await held(() => dead.post({}, { path: '/things/build' }));
    const again = await alive.post({}, { path: '/things/build' });
    expect([again.status, again.body.id, isReplay(again)]).toEqual([201, 'thing', true]);
    expect(ran).toEqual(['build_thing', 'resume begun']);
    expectReplay(await alive.post({}, { path: '/things/build' }), again);
    expect(ran).toHaveLength(2);

    // Should it only have slept, it goes no further, and changes nothing that is kept.
    open();
    expectEarly(await lost);
    expect((await alive.post({}, { path: '/things/build' })).text).toBe(again.text);
    expect(await rows()).toHaveLength(1);
  });

  it('lets one of many settle what is recorded', async ({ pair: servers, held, ran }) => {
    const { answer: lost, open } = await held(() => servers[0].post({}, { path: '/things/build' }));
    const tries = [0, 1, 0, 1].map((which) => servers[which]!.post({}, { path: '/things/build' }));
    const answers = await Promise.all(tries);
    const settled = answers.filter(({ status }) => status === 201);
    expect(new Set(settled.map(({ text }) => text)).size).toBe(1);
    answers.filter(({ status }) => status !== 201).forEach(expectEarly);
    open();
    expectEarly(await lost);
    expect(ran.filter((name) => name === 'build_thing')).toHaveLength(1);
  });

  it('keeps what is recorded while the answers say nothing about the next try', async ({ server, ran, rows }) => {
    const build = () => server.post({ refuse: 'platform.bluesky.api_error' }, { path: '/things/build' });
    for (let time = 1; time <= 2; time++) {
      expect(await outcomeOf(build())).toEqual([502, false]);
      expect(await rows()).toHaveLength(1);
    }
    expect(await outcomeOf(build())).toEqual([201, true]);
    expect(ran).toEqual(['build_thing', 'resume begun', 'resume begun']);
  });

  it('keeps what is recorded when a repeat is refused', async ({ pair: [dead, alive], held, ran }) => {
    const build = (server: typeof dead) => server.post({ refuse: 'post.not_found' }, { path: '/things/build' });
    const { answer: lost, open } = await held(() => build(dead));
    expect(await outcomeOf(build(alive))).toEqual([404, false]);
    const settled = await build(alive);
    expect([settled.status, isReplay(settled)]).toEqual([201, true]);
    expect(ran).toEqual(['build_thing', 'resume begun', 'resume begun']);
    open();
    expect((await lost).status).toBe(404);
    expect((await build(alive)).text).toBe(settled.text);
  });

  it('of what may be repeated by nature keeps nobody waiting', async ({ pair: [dead, alive], held, ran }) => {
    const { answer: lost, open } = await held(() => dead.post({}, { path: '/things/like' }));
    const again = await alive.post({}, { path: '/things/like' });
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    expect(isReplay(await alive.post({}, { path: '/things/like' }))).toBe(true);
    open();
    expect((await lost).status).toBe(200);
    expect((await alive.post({}, { path: '/things/like' })).text).toBe(again.text);
    expect(ran).toEqual(['like_thing', 'like_thing']);
  });

  it('shows nobody what was recorded for more brands than they see', async () => {
    const { start, held, callers, owner } = await openRepeats(stores);
    const server = await start();
    callers['key'] = { ...owner, id: 'key_2', authority: authorityOver('ws_1', { brands: ['brd_1', 'brd_2'] }) };
    const { answer: lost, open } = await held(() => server.post({}, { path: '/things/build', as: 'key' }));
    callers['key'] = { ...owner, id: 'key_2', authority: authorityOver('ws_1', { brands: ['brd_1'] }) };
    expect((await server.post({}, { path: '/things/build', as: 'key' })).status).toBe(403);
    open();
    expect((await lost).status).toBe(201);
  });

  it('is forgotten after a day', async ({ server, ran, rows }) => {
    await server.post({ text: 'a' });
    server.clock.move(DAY - 1);
    expect(await server.idempotency.sweep()).toBe(0);
    expect(isReplay(await server.post({ text: 'a' }))).toBe(true);
    server.clock.move(1);
    expect(await server.post({ text: 'b' })).toMatchObject({ status: 201, body: { id: 'thing_2', text: 'b' } });
    expect(isReplay(await server.post({ text: 'b' }))).toBe(true);
    expect(ran).toHaveLength(2);
    server.clock.move(DAY);
    expect([await server.idempotency.sweep(), await server.idempotency.sweep()]).toEqual([1, 0]);
    expect(await rows()).toEqual([]);
  });

  it('is checked after the caller: what may not be done any more is not shown either', async () => {
    const { start, callers, owner, ran } = await openRepeats(stores);
    const server = await start();
    const limits = (scopes: readonly 'posts:write'[] | readonly 'dms:read'[], brands: readonly string[]) => {
      callers['key'] = { ...owner, id: 'key_2', authority: authorityOver('ws_1', { scopes, brands }) };
    };
    const repeat = () => server.post({ text: 'a' }, { as: 'key' });
    limits(['posts:write'], ['brd_1', 'brd_2']);
    expect((await repeat()).status).toBe(201);
    limits(['dms:read'], ['brd_1', 'brd_2']);
    expect(await repeat()).toMatchObject({ status: 403, body: { error: { code: 'auth.insufficient_scope' } } });
    limits(['posts:write'], ['brd_1']);
    const narrowed = await repeat();
    expect(narrowed).toMatchObject({ status: 403, body: { error: { code: 'auth.insufficient_scope' } } });
    expect(narrowed.text).not.toContain('thing_1');
    for (const brands of [['brd_2', 'brd_1'], ['brd_1', 'brd_2', 'brd_3'], []]) {
      limits(['posts:write'], brands);
      expect(isReplay(await repeat())).toBe(true);
    }
    delete callers['key'];
    expect((await repeat()).status).toBe(401);

    limits([], []);
    await server.post({ text: 'b' }, { as: 'key', key: 'all' });
    limits([], ['brd_1']);
    expect((await server.post({ text: 'b' }, { as: 'key', key: 'all' })).status).toBe(403);
    expect(ran).toHaveLength(2);
  });

  it('of those who may not call, or said nothing that can be read, leaves nothing behind', async () => {
    const { start, callers, owner, rows, ran } = await openRepeats(stores);
    const server = await start();
    callers['reader'] = { ...owner, id: 'key_2', authority: authorityOver('ws_1', { scopes: ['posts:read'] }) };
    callers['unpaid'] = { ...owner, id: 'key_3', workspace: { ...owner.workspace, blockedAt: 1 } };
    const statuses = [];
    for (const as of ['nobody', 'reader', 'unpaid']) statuses.push((await server.post({}, { as })).status);
    const headers = { 'Idempotency-Key': 'once' };
    statuses.push((await server.raw('/v1/things', { method: 'POST', anonymous: true, headers })).status);
    statuses.push((await server.post('{"text":')).status);
    expect(statuses).toEqual([401, 403, 402, 401, 400]);
    expect([await rows(), server.counts.writes]).toEqual([[], 0]);
    expect((await server.post({})).status).toBe(201);
    expect(ran).toHaveLength(1);
  });

  it('of a newcomer is not kept: there is nowhere to', async ({ server, repeats: { callers, owner }, rows, ran }) => {
    const workspace = { ...owner.workspace, id: '' };
    const newcomer = { email: 'a@example.org', name: 'A' };
    const authority = authorityOver(workspace.id, { dashboard: true });
    callers['new'] = { ...owner, kind: 'dashboard', workspace, authority, newcomer };
    for (let time = 1; time <= 2; time++)
      expect((await server.post({}, { as: 'new', path: '/join' })).status).toBe(200);
    expect([await rows(), ran]).toEqual([[], ['join', 'join']]);
  });

  it('compares forms by their parts', async ({ server, ran }) => {
    const file = (text: string, name = 'a.txt', type = 'text/plain') =>
      ['file', new File([text], name, { type })] as const;
    const whole = 'x'.repeat(200_000);
    const first = await server.upload([['title', 'T'], ['text', 'a'], file(whole)]);
    const text = await first.text();
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    for (const fields of [
      ['title', 'text'],
      ['text', 'title'],
    ]) {
      const said: Record<string, string> = { title: 'T', text: 'a' };
      const again = await server.upload([...fields.map((name) => [name, said[name]!] as const), file(whole)]);
      expect(again.status).toBe(201);
      expect(await again.text()).toEqual(text);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    const others = [
      [['title', 'T'], ['text', 'a'], file(`${whole}y`)],
      [['title', 'T'], ['text', 'a'], file(whole, 'b.txt')],
      [['title', 'T'], ['text', 'a'], file(whole, 'a.txt', 'image/png')],
      [['title', 'U'], ['text', 'a'], file(whole)],
      [['title', 'T'], file(whole)],
    ] as const;
    for (const parts of others) {
      const answered = await server.upload(parts);
      expect([answered.status, await answered.json()]).toMatchObject([409, early]);
    }
    expect(ran).toEqual(['upload_thing']);
  });

  it('keeps the answer for a client that did not wait for it', async ({ server, held, ran }) => {
    const leaving = new AbortController();
    const headers = { Authorization: 'Bearer owner', 'Content-Type': 'application/json', 'Idempotency-Key': 'once' };
    const asked = { method: 'POST', headers, body: '{}', signal: leaving.signal };
    const { answer: left, open } = await held(() => fetch(`${server.url}/things`, asked));
    leaving.abort();
    await expect(left).rejects.toThrow();
    open();
    await server.idempotency.idle();
    expect(await outcomeOf(server.post({}))).toEqual([201, true]);
    expect(ran).toHaveLength(1);
  });

  it('lets a call succeed whose answer cannot be written down', async ({ server, held, ran }) => {
    const { answer: first, open } = await held(() => server.post({}));
    server.switches.broken = true;
    open();
    expect((await first).status).toBe(201);
    expect(server.lines.join()).toContain('the outcome of a request with an idempotency key was not stored');
    expect((await server.post({})).status).toBe(500);
    server.switches.broken = false;
    expectEarly(await server.post({}));
    server.clock.move(LEASE);
    expect((await server.post({})).body.id).toBe('thing_2');
    expect(ran).toHaveLength(2);
  });

  it('is kept sealed, and opens after the master key was changed', async ({ repeats: { start, store, rows } }) => {
    const server = await start();
    const first = await server.post({ text: 'between us' });
    const [row] = await rows();
    expect(JSON.stringify(row)).not.toMatch(/between us|thing_1|once/);

    const fresh = '22'.repeat(32);
    expect(await resealRows(store, makeSealer([fresh, MASTER]))).toBe(1);
    const later = await start(server.clock, makeSealer([fresh]));
    expectReplay(await later.post({ text: 'between us' }), first);
  });

  it('costs requests without one nothing', async ({ server, ran }) => {
    const headers = { Authorization: 'Bearer owner' };
    for (let time = 0; time < 2; time++)
      expect((await server.raw('/v1/things', { method: 'POST', headers })).status).toBe(201);
    expect([ran.length, server.counts.writes]).toEqual([2, 0]);
  });

  it('means nothing where requests may be repeated anyway', async ({ server, ran, rows }) => {
    const headers = { Authorization: 'Bearer owner', 'Idempotency-Key': 'not visible' };
    for (let time = 0; time < 2; time++)
      expect(await outcomeOf(server.raw('/v1/things', { method: 'PUT', headers }))).toEqual([200, false]);
    expect([ran.length, await rows()]).toEqual([2, []]);
  });
});

describeStores('what an Idempotency-Key may be', { kinds: ['file'] }, (stores) => {
  const it = testOn(stores);

  describe('1 to 255 visible ASCII characters', () => {
    it.for(['', 'a b', 'a\tb', 'caf\u00e9', 'k'.repeat(256)])('not %j', async (key, { server, ran }) => {
      expect(await server.post({}, { key })).toMatchObject({
        status: 400,
        body: { error: { code: 'validation.field_invalid', meta: { field: 'Idempotency-Key' } } },
      });
      expect([ran, server.counts.writes]).toEqual([[], 0]);
    });

    it.for(['k', '!~', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'k'.repeat(255)])(
      'but %j',
      async (key, { server }) => {
        expect((await server.post({}, { key })).status).toBe(201);
        expect(isReplay(await server.post({}, { key }))).toBe(true);
        expect(isReplay(await server.post({}, { key: `${key.slice(1)}-` }))).toBe(false);
      },
    );

    it('not two of them', async ({ server }) => {
      const headers = { Authorization: 'Bearer owner', 'Idempotency-Key': ['a', 'b'] as unknown as string };
      expect((await server.raw('/v1/things', { method: 'POST', headers })).status).toBe(400);
    });

    it('tells callers apart before it is looked at', async ({ server }) => {
      expect((await server.post({}, { key: 'a b', as: 'nobody' })).status).toBe(401);
    });
  });
});
