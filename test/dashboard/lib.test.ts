import { signal } from '@preact/signals';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeCall, refusalOf, requestOf } from '#dashboard/lib/call.ts';
import { addDays } from '#dashboard/lib/days.ts';
import { makeDebounce, makeSettling } from '#dashboard/lib/debounce.ts';
import { makeAsking } from '#dashboard/lib/frame/asking.ts';
import { makeCounts } from '#dashboard/lib/frame/counts.ts';
import { makeTimer } from '#dashboard/lib/frame/timer.ts';
import { makeToasting } from '#dashboard/lib/frame/toasting.ts';
import { makeShortcuts, usable } from '#dashboard/lib/keys.ts';
import { makeReader, readEvents } from '#dashboard/lib/live.ts';
import { ROUTES } from '#dashboard/lib/operations.ts';
import { instantOf, tomorrow, wallTimeOf } from '#dashboard/lib/time.ts';
import { makeUpload } from '#dashboard/lib/upload/send.ts';
import { TOOLS } from '../harness/calls/operations.ts';
import { answering, anEvent } from './answers.ts';

/** A page of a server that is there. */
const CALM = { reached: () => {}, missed: () => {} };

describe('the operations that pages call', () => {
  it('have the method and path that they are declared with', () => {
    const declared = new Map(TOOLS.map(({ name, http: { method, path } }) => [name, `${method} ${path}`]));
    expect(Object.entries(ROUTES).filter(([name, route]) => declared.get(name) !== route)).toEqual([]);
  });

  it('are sent with what the path names in it, and the rest in the query or the body', () => {
    expect(requestOf('get_post', { post_id: 'a/b' })).toEqual({ method: 'GET', path: '/posts/a%2Fb' });
    const listed = requestOf('list_posts', { status: ['failed', 'partial'], search: 'a&b', cursor: undefined });
    expect(listed.path).toBe('/posts?status=failed&status=partial&search=a%26b');
    expect(requestOf('update_post', { post_id: 'p', scheduled_at: null })).toEqual({
      method: 'PATCH',
      path: '/posts/p',
      body: { scheduled_at: null },
    });
  });

  it('carry the key of the press, and are refused in the words of the server', async () => {
    const sent: (RequestInit | undefined)[] = [];
    const call = makeCall({
      zone: 'UTC',
      async fetch(_, init) {
        sent.push(init);
        const error = { code: 'auth.not_authenticated', message: 'Sign in.' };
        return Response.json({ error, request_id: 'r' }, { status: 401 });
      },
    });
    await expect(call('publish_post', { post_id: 'p' }, 'pressed')).rejects.toMatchObject({
      message: 'Sign in.',
      requestId: 'r',
    });
    expect(sent.map((init) => init?.headers)).toEqual([
      { 'Content-Type': 'application/json', 'Idempotency-Key': 'pressed' },
    ]);
  });

  it('that are not answered, or by a proxy in the place of the server, say so in plain words', async () => {
    const answers = [() => Promise.reject(new TypeError('Failed to fetch')), async () => new Response('<html>')];
    for (const fetch of answers) {
      const call = makeCall({ zone: 'UTC', fetch });
      await expect(call('get_post', { post_id: 'p' })).rejects.toThrow(/^No answer came from the server\./);
    }
  });
});

it('a refusal is told in plain words, with times of the workspace', () => {
  const told = (message: string) =>
    refusalOf(400, { error: { code: 'c', message }, request_id: 'r' }, 'Asia/Tokyo').message;
  const past = 'The time 2026-03-01T20:30:00.000Z (scheduled_at) is in the past. Use a later time. Call publish_post.';
  expect(told(past)).toBe('The time Mon, 2 Mar 2026, 05:30 is in the past. Use a later time.');
  expect(told('Not 2026-99-99T00:00:00Z.')).toBe('Not 2026-99-99T00:00:00Z.');
});

describe('the timer of a page', () => {
  afterEach(() => void vi.useRealTimers());

  it('runs its last callback once, when the tab is visible', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const page = Object.assign(new EventTarget(), { hidden: true });
    const soon = makeTimer(page);
    const ran: string[] = [];
    for (const name of ['first', 'second']) {
      soon(() => void ran.push(name), 1000);
      vi.advanceTimersByTime(1000);
    }
    expect(ran).toEqual([]);
    page.hidden = false;
    page.dispatchEvent(new Event('visibilitychange'));
    page.dispatchEvent(new Event('visibilitychange'));
    expect(ran).toEqual(['second']);
    soon(() => void ran.push('third'), 1000);
    vi.advanceTimersByTime(1000);
    expect(ran).toEqual(['second', 'third']);
  });
});

describe('what is read again after log entries', () => {
  afterEach(() => void vi.useRealTimers());

  function ranDuring(entries: number, later: (run: () => void) => void): readonly number[] {
    const ran: number[] = [];
    for (let at = 0; at < entries; at += 1) {
      later(() => void ran.push(at));
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(10_000);
    return ran;
  }

  it('waits for a pause, but not for ever where entries never pause', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    expect(ranDuring(3, makeSettling())).toEqual([2]);
    expect(ranDuring(50, makeSettling())).toEqual([19, 39, 49]);
    // Somebody who goes on typing is not interrupted.
    expect(ranDuring(50, makeDebounce(250))).toEqual([49]);
  });
});

describe('times', () => {
  const zones = [
    'UTC',
    'Europe/Amsterdam',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Chatham',
    'Australia/Lord_Howe',
  ];

  it('come back as the instant that clocks show them for', () => {
    const instant = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2032, 0) }).map((at) => at - (at % 60_000));
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (at, zone) => {
        const wall = wallTimeOf(at, zone);
        // An hour that clocks show twice may come back as the other one.
        expect(wallTimeOf(instantOf(wall, zone), zone)).toEqual(wall);
      }),
    );
  });

  it('come back on every day of a year, also where clocks differ by half hours', () => {
    const days = Array.from({ length: 366 }, (_, at) => addDays('2027-01-01', at));
    const more = ['Pacific/Apia', 'America/Sao_Paulo', 'Asia/Kathmandu'];
    const differing = [...zones, ...more].flatMap((zone) =>
      days.flatMap((day) =>
        ['00:00', '09:00', '12:30', '23:45'].filter((time) => {
          const back = wallTimeOf(instantOf({ day, time }, zone), zone);
          return back.day !== day || back.time !== time;
        }),
      ),
    );
    expect(differing).toEqual([]);
  });

  it('are kept when a post moves over the change of clocks', () => {
    const zone = 'Europe/Amsterdam';
    expect(instantOf({ day: '2026-03-28', time: '09:00' }, zone)).toBe('2026-03-28T08:00:00.000Z');
    expect(instantOf({ day: '2026-03-29', time: '09:00' }, zone)).toBe('2026-03-29T07:00:00.000Z');
    expect(wallTimeOf(instantOf({ day: '2026-03-29', time: '02:30' }, zone), zone).time).toBe('03:30');
    // Of a time that comes twice, the first: docs/decisions/0019.
    expect(instantOf({ day: '2026-10-25', time: '02:30' }, zone)).toBe('2026-10-25T00:30:00.000Z');
    expect(instantOf({ day: '2026-11-01', time: '01:30' }, 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
    const howe = 'Australia/Lord_Howe';
    expect(wallTimeOf(instantOf({ day: '2026-10-04', time: '02:15' }, howe), howe).time).toBe('02:45');
    const york = 'America/New_York';
    expect(wallTimeOf(instantOf({ day: '2026-03-08', time: '02:30' }, york), york).time).toBe('03:30');
  });
});

it('tomorrow begins after midnight, also on a day of 25 hours', () => {
  const justAfterMidnight = Date.parse('2026-10-24T22:10:00Z');
  expect(tomorrow(justAfterMidnight, 'Europe/Amsterdam')).toBe('2026-10-26');
});

describe('a large file', () => {
  it('that is cancelled before it has an upload URL is not sent', async () => {
    const place = Promise.withResolvers<object>();
    const { call, calls } = answering({ get_media_upload_url: () => place.promise });
    const opened: string[] = [];
    // Like a request that was not opened: nothing is told of the end.
    const request = { abort() {}, open: (method: string) => void opened.push(method), setRequestHeader() {} };
    const upload = makeUpload({
      token: () => 'page',
      check: async () => {},
      zone: 'UTC',
      call,
      newRequest: () => request as never,
    });
    const file = { name: 'a.mp4', type: 'video/mp4', size: 60 * 1024 * 1024 } as File;
    const { arrived, cancel } = upload(file, 'pressed', () => {});
    cancel();
    place.resolve({ media_id: 'm', upload_url: 'https://files.example/m' });
    await expect(arrived).rejects.toThrow('Cancelled.');
    expect([opened, calls.map(([name]) => name)]).toEqual([[], ['get_media_upload_url']]);
  });
});

describe('an upload that is refused', () => {
  /** Requests of a page whose token may be renewed, each answered with the next status. */
  function aForm(statuses: number[], renewed: string | undefined) {
    let token = 'first';
    const sent: string[] = [];
    const renewing = Promise.withResolvers<void>();
    class Request extends EventTarget {
      upload = new EventTarget();
      status = 0;
      responseText = '';
      #headers: string[] = [];
      open() {
        this.#headers = [];
      }
      setRequestHeader(_: string, value: string) {
        this.#headers.push(value);
      }
      abort() {}
      send() {
        sent.push(this.#headers.join(' '));
        this.status = statuses.shift()!;
        const error = { code: 'auth.not_authenticated', message: 'Load the page again.' };
        this.responseText = JSON.stringify(this.status < 300 ? { id: 'm' } : { error, request_id: 'r' });
        queueMicrotask(() => this.dispatchEvent(new Event('load')));
      }
    }
    const upload = makeUpload({
      token: () => token,
      async check() {
        await renewing.promise;
        token = renewed ?? token;
      },
      zone: 'UTC',
      call: answering({}).call,
      newRequest: () => new Request() as never,
    });
    const uploading = upload(new File(['x'], 'a.png', { type: 'image/png' }), 'pressed', () => {});
    return { ...uploading, sent, renewing };
  }

  it('only for an old token is sent once more with the new one and the same key', async () => {
    const { arrived, sent, renewing } = aForm([403, 200], 'second');
    renewing.resolve();
    expect(await arrived).toEqual({ id: 'm' });
    expect(sent).toEqual(['first pressed', 'second pressed']);
  });

  it.each([
    ['again', [403, 403], 'second', 2],
    ['with the same token', [403], undefined, 1],
    ['for another reason', [409], 'second', 1],
  ])('%s says why', async (_, statuses, renewed, times) => {
    const { arrived, sent, renewing } = aForm(statuses, renewed);
    renewing.resolve();
    await expect(arrived).rejects.toThrow('Load the page again.');
    expect(sent).toHaveLength(times);
  });

  it('is not sent once more after it was cancelled', async () => {
    const { arrived, cancel, sent, renewing } = aForm([403, 200], 'second');
    cancel();
    renewing.resolve();
    await expect(arrived).rejects.toThrow('Cancelled.');
    expect(sent).toHaveLength(1);
  });
});

it('numbers of the rail are counted at first, and then those that an entry may change', async () => {
  const shown: string[] = [];
  const { call, calls } = answering({
    list_posts: () => ({ data: [1, 2], pagination: { has_more: true } }),
    list_unanswered: () => ({ data: [], pagination: { has_more: false } }),
    list_actions: () => ({ data: [1], pagination: { has_more: false } }),
  });
  const counts = makeCounts({
    call,
    may: () => true,
    later: (run) => run(),
    show: (what, count) => void shown.push(`${what} ${count}`),
  });
  counts.refresh();
  await expect.poll(() => shown.toSorted()).toEqual(['failed 2+', 'unanswered ', 'waiting 1']);
  const asked = calls.length;
  for (const category of ['post', 'inbox', 'account', 'api'] as const) counts.heard(anEvent({ category }));
  expect(calls.slice(asked).map(([name]) => name)).toEqual(['list_posts', 'list_unanswered']);
  counts.heard(anEvent({ category: 'api', resource_id: 'act_1' }));
  expect(calls.at(-1)![0]).toBe('list_actions');
  counts.heard(anEvent({ category: 'post' }));
  expect(calls.at(-1)![0]).toBe('list_posts');
  // An answer makes no log entry of the inbox.
  counts.called('reply_to_comment');
  expect(calls.at(-1)![0]).toBe('list_unanswered');
  const then = calls.length;
  counts.called('like_comment');
  expect(calls.length).toBe(then);
});

it('numbers of the rail leave out what waits for people who decide, for those who do not', () => {
  const { call, calls } = answering({
    list_posts: () => ({ data: [], pagination: { has_more: false } }),
    list_unanswered: () => ({ data: [], pagination: { has_more: false } }),
  });
  const counts = makeCounts({
    call,
    may: (name) => name !== 'approve_action',
    later: (run) => run(),
    show: () => {},
  });
  counts.refresh();
  counts.heard(anEvent({ category: 'api', resource_id: 'act_1' }));
  expect(calls.map(([name]) => name)).toEqual(['list_posts', 'list_unanswered']);
});

describe('keys', () => {
  it('are those that do something for the person', () => {
    const shortcuts = [
      { keys: 'j', does: 'Next', run: () => {} },
      { keys: 'e', does: 'Archive', needs: 'update_conversation', run: () => {} },
    ] as const;
    const keysFor = (denied: string) => usable(shortcuts, (name) => name !== denied).map(({ keys }) => keys);
    expect([keysFor(''), keysFor('update_conversation')]).toEqual([['j', 'e'], ['j']]);
  });

  it('run alone, or as a pair that begins with g', () => {
    const ran: string[] = [];
    const find = makeShortcuts(['k', 'g k', '?'].map((keys) => ({ keys, does: keys, run: () => void ran.push(keys) })));
    const press = (key: string, at = 0) => find({ key, at })?.keys;
    expect([press('k'), press('g'), press('k'), press('k')]).toEqual(['k', undefined, 'g k', 'k']);
    expect([press('g', 0), press('k', 5000)]).toEqual([undefined, 'k']);
    expect([press('x'), press('?')]).toEqual([undefined, '?']);
  });
});

describe('a question', () => {
  it('is asked as things are now, until what was begun before is done', () => {
    const { ask, question, confirm, dismiss } = makeAsking();
    const state = signal<'running' | 'done' | undefined>('running');
    const isBusy = signal(true);
    const ran: string[] = [];
    const about = () =>
      state.value && {
        title: `Delete what is ${state.value}?`,
        text: '',
        yes: 'Delete',
        isBusy: isBusy.value,
        run: () => void ran.push(state.value!),
      };
    ask(about);
    state.value = 'done';
    confirm();
    expect([question.value?.title, ran]).toEqual(['Delete what is done?', []]);
    isBusy.value = false;
    confirm();
    confirm();
    expect([question.value, ran]).toEqual([undefined, ['done']]);
    ask(about);
    const next = () => about();
    ask(next);
    // The dialog of the first one says only now that it was closed.
    dismiss(about);
    expect(question.value).toBeDefined();
    dismiss(next);
    expect(question.value).toBeUndefined();
    ask(about);
    state.value = undefined;
    expect(question.value).toBeUndefined();
  });
});

describe('messages', () => {
  function twoActions() {
    const undone: string[] = [];
    const ends: (() => void)[] = [];
    const toasting = makeToasting((run) => void ends.push(run));
    for (const text of ['first', 'second']) toasting.say(text, { undo: () => void undone.push(text) });
    toasting.say('Nothing to undo');
    return { ...toasting, undone, ends, shown: () => toasting.toasts.value.map(({ text }) => text) };
  }

  it('undo each what it tells of, once', () => {
    const { toasts, undo, undone, shown } = twoActions();
    undo(toasts.value[0]);
    expect([undone, shown()]).toEqual([['first'], ['second', 'Nothing to undo']]);
  });

  it('are undone from the last by a key, until nothing is left to undo', () => {
    const { last, undoLast, undone, shown, ends } = twoActions();
    expect(last.value?.text).toBe('second');
    undoLast();
    undoLast();
    undoLast();
    expect([undone, shown()]).toEqual([['second', 'first'], ['Nothing to undo']]);
    for (const end of ends) end();
    expect(shown()).toEqual([]);
  });
});

describe('the stream of events', () => {
  afterEach(() => void vi.useRealTimers());

  it('is read whole, however it is cut', async () => {
    const text = 'retry: 1000\n\nid: 1\ndata: {"a":1}\n\n: still here\n\nevent: gap\ndata: {}\n\nid: 2\ndata: é\n\n';
    for (const size of [1, 3, 7, 1000]) {
      const bytes = new TextEncoder().encode(text);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      const seen: string[] = [];
      await readEvents(body, ({ id, name, data }) => {
        if (data !== '') seen.push(`${id}|${name}|${data}`);
      });
      expect(seen).toEqual(['1||{"a":1}', '|gap|{}', '2||é']);
    }
  });

  it('begins anew after a gap, and is tried again after a refusal', async () => {
    const done: string[] = [];
    const answers = [new Response('event: gap\ndata: {}\n\n'), new Response(null, { status: 401 }), new Response('')];
    const read = makeReader({
      place: { last: 'old' },
      heard: () => void done.push('heard'),
      missed: () => void done.push('missed'),
      reached: () => {},
      async fetch(_, init) {
        done.push(new Headers(init!.headers).get('Last-Event-ID') ?? 'from now');
        return answers.shift()!;
      },
    });
    const { signal: running } = new AbortController();
    await read(running);
    await expect(read(running)).rejects.toThrow('401');
    await read(running);
    expect(done).toEqual(['old', 'missed', 'from now', 'from now']);
  });

  it('counts as reached by whatever the server answers, but not by what a proxy says in its place', async () => {
    const seen: [number, boolean][] = [];
    for (const status of [200, 403, 502]) {
      const read = makeReader({
        ...CALM,
        place: { last: undefined },
        heard: () => {},
        reached: (isReached) => void seen.push([status, isReached]),
        fetch: async () => new Response('', { status }),
      });
      await read(new AbortController().signal).catch(() => undefined);
    }
    expect(seen).toEqual([
      [200, true],
      [403, true],
    ]);
  });

  it('begins behind the entry that the page came with, and goes on behind the one it heard last', async () => {
    const asked: (string | null)[] = [];
    const heard: unknown[] = [];
    const read = makeReader({
      place: { last: 'log_1' },
      heard: ({ id, after }) => void heard.push([id, after]),
      ...CALM,
      async fetch(_, init) {
        asked.push(new Headers(init!.headers).get('Last-Event-ID'));
        return new Response('id: log_2\ndata: {}\n\nid: log_3\ndata: {}\n\n');
      },
    });
    await read(new AbortController().signal);
    expect(heard).toEqual([
      ['log_2', 'log_1'],
      ['log_3', 'log_2'],
    ]);
    await read(new AbortController().signal);
    expect(asked).toEqual(['log_1', 'log_3']);
  });

  it('is given up when nothing has come for longer than its signs of life take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let stream: ReadableStreamDefaultController | undefined;
    let isOver = false;
    const read = makeReader({
      place: { last: 'log_1' },
      heard: () => {},
      ...CALM,
      async fetch(_, init) {
        const body = new ReadableStream({
          start(controller) {
            stream = controller;
            init!.signal!.addEventListener('abort', () => controller.error(init!.signal!.reason));
          },
        });
        return new Response(body);
      },
    });
    const reading = read(new AbortController().signal).catch(() => void (isOver = true));
    for (const _ of [1, 2]) {
      await vi.advanceTimersByTimeAsync(40_000);
      stream!.enqueue(new TextEncoder().encode(': nothing new\n\n'));
    }
    await vi.advanceTimersByTimeAsync(40_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    await reading;
    expect(isOver).toBe(true);
  });
});
