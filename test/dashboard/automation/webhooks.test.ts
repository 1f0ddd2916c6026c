import { describe, expect, it } from 'vitest';
import { RefusedError } from '#dashboard/lib/call.ts';
import { makeChoosing } from '#dashboard/lib/webhooks/choosing.ts';
import { makeDeliveries } from '#dashboard/webhook/deliveries.ts';
import { makeWebhook } from '#dashboard/webhook/model.ts';
import { sampleOf } from '#dashboard/webhook/samples.ts';
import { makeTesting } from '#dashboard/webhook/testing.ts';
import { makeWebhooks } from '#dashboard/webhooks/model.ts';
import { ACTION_EVENT_DATA, ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { answering, anEvent, aRefusal } from '../answers.ts';

const CATALOGUE = Object.entries({ ...EVENTS, ...ACTION_EVENTS }).map(([event, [category, description]]) => ({
  event,
  category,
  description,
}));
const stats = (failed = 0) => ({ last_24h: { delivered: 1, failed: 0 }, last_7d: { delivered: 2, failed } });
const anEndpoint = (id: string, more = {}) =>
  ({ id, url: `https://${id}.example/hook`, events: ['post.failed'], is_active: true, stats: stats(), ...more }) as any;
const aDelivery = (id: string, more = {}) =>
  ({ id, event_type: 'post.failed', status: 'delivered', attempt_count: 1, ...more }) as any;
const pageOf = (ids: readonly any[], next = '') =>
  ({
    data: ids.map((one) => (typeof one === 'string' ? aDelivery(one) : one)),
    count: ids.length,
    pagination: { has_more: next !== '', next_cursor: next },
  }) as any;

/** What models are given; `settle` runs what waits. */
function given(answers: Parameters<typeof answering>[0]) {
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  const waits: number[] = [];
  const { call, calls } = answering(answers);
  return {
    deps: {
      call,
      newKey: () => 'pressed',
      say: (text: string) => void said.push(text),
      later: (run: () => void) => void waiting.push(run),
      soon(run: () => void, ms: number) {
        waits.push(ms);
        waiting.push(run);
      },
    },
    calls,
    said,
    waits,
    settle: () => waiting.splice(0).at(-1)?.(),
  };
}
const named = (calls: readonly (readonly [string, ...unknown[]])[]) => calls.map(([name]) => name);

describe('the choice of events', () => {
  it('is made one by one, by group or for all', () => {
    const choosing = makeChoosing(CATALOGUE, ['post.failed']);
    const posts = choosing.groups.find(({ category }) => category === 'posts')!;
    expect([choosing.shareOf(posts.events), choosing.shareOf(CATALOGUE)]).toEqual(['some', 'some']);
    choosing.turn(posts.events, true);
    expect(choosing.names.value).toEqual(posts.events.map(({ event }) => event));
    choosing.turn([{ event: 'dm.sent' }], true);
    expect(choosing.names.value[0]).toBe('dm.sent');
    choosing.turn(CATALOGUE, true);
    expect([choosing.shareOf(CATALOGUE), choosing.names.value.length]).toEqual(['all', CATALOGUE.length]);
    choosing.turn(CATALOGUE, false);
    expect(choosing.names.value).toEqual([]);
  });

  it('keeps events that this page does not know', () => {
    expect(makeChoosing(CATALOGUE, ['of.tomorrow', 'dm.sent']).names.value).toEqual(['dm.sent', 'of.tomorrow']);
  });
});

describe('endpoints', () => {
  const open = (answers: Parameters<typeof answering>[0]) => {
    const { deps, ...rest } = given({ get_webhook: ({ webhook_id }) => anEndpoint(webhook_id), ...answers });
    return {
      model: makeWebhooks({ ...deps, first: [anEndpoint('a'), anEndpoint('b')], catalogue: CATALOGUE }),
      ...rest,
    };
  };

  it('show their health once it is read', async () => {
    const { model } = open({ get_webhook: ({ webhook_id }) => anEndpoint(webhook_id, { stats: stats(3) }) });
    expect(model.healthOf('a')).toBeUndefined();
    await model.readHealth();
    expect([model.healthOf('a')!.last_7d.failed, model.healthOf('b')!.last_7d.failed]).toEqual([3, 3]);
  });

  it('are made with the chosen events, and show their secret once', async () => {
    const made = { ...anEndpoint('new'), secret: 's3cret' };
    const { model, calls } = open({ create_webhook: () => made, list_webhooks: () => ({ data: [made] }) });
    expect(await model.create('https://new.example/')).toBe(false);
    expect([model.problem.value!.field, calls]).toEqual(['events', []]);
    model.choosing.turn([{ event: 'dm.sent' }], true);
    expect(await model.create('https://new.example/')).toBe(true);
    expect(calls[0]).toEqual(['create_webhook', { url: 'https://new.example/', events: ['dm.sent'] }, 'pressed']);
    expect([model.made.value!.secret, model.endpoints.value.length]).toEqual(['s3cret', 1]);
    model.forget();
    expect([model.made.value, model.choosing.names.value]).toEqual([undefined, []]);
  });

  it.each([
    ['url', 'url'],
    ['secret', 'form'],
  ])('say what is wrong with %s at the %s, and keep the choice', async (field, place) => {
    const { model } = open({
      create_webhook() {
        const meta = { field };
        throw new RefusedError(400, { code: 'validation.field_invalid', message: 'Not https.', request_id: 'r', meta });
      },
    });
    model.choosing.turn([{ event: 'dm.sent' }], true);
    expect(await model.create('http://x')).toBe(false);
    expect([model.problem.value, model.choosing.names.value]).toEqual([
      { field: place, message: 'Not https.' },
      ['dm.sent'],
    ]);
  });

  it('are read again when one changed', async () => {
    const { model, settle } = open({ list_webhooks: () => ({ data: [anEndpoint('b')] }) });
    model.heard(anEvent({ category: 'post' }));
    expect(settle()).toBeUndefined();
    model.heard(anEvent({ category: 'webhook', action: 'deleted', resource_id: 'a' }));
    settle();
    await expect.poll(() => model.endpoints.value.map(({ id }) => id)).toEqual(['b']);
  });

  it('have the numbers of one read again after a delivery to it', async () => {
    const { model, calls, settle } = open({ get_webhook: () => ({ stats: {} }) });
    model.heard(anEvent({ category: 'webhook', action: 'delivery', resource_id: 'a' }));
    model.heard(anEvent({ category: 'webhook', action: 'delivery', resource_id: 'a' }));
    settle();
    await expect.poll(() => model.healthOf('a')).toBeDefined();
    expect(calls.map(([name, input]) => [name, input])).toEqual([['get_webhook', { webhook_id: 'a' }]]);
  });
});

describe('one endpoint', () => {
  const open = (answers: Parameters<typeof answering>[0]) => {
    const { deps, ...rest } = given({ get_webhook: () => anEndpoint('a', { is_active: false }), ...answers });
    const left: string[] = [];
    const leave = (words: string) => void left.push(words);
    return { model: makeWebhook({ ...deps, first: anEndpoint('a'), catalogue: CATALOGUE, leave }), left, ...rest };
  };

  it('is paused, changed and deleted, and says so', async () => {
    const { model, calls, said, left } = open({ update_webhook: () => ({}), delete_webhook: () => ({}) });
    await model.turn(false);
    expect([model.endpoint.value.is_active, said[0]]).toEqual([false, expect.stringMatching(/^Paused/)]);
    model.choosing.turn([{ event: 'dm.sent' }], true);
    await model.edit('https://b.example/');
    expect(calls.find(([, { url }]) => url !== undefined)![1]).toEqual({
      webhook_id: 'a',
      url: 'https://b.example/',
      events: ['dm.sent', 'post.failed'],
    });
    await model.remove();
    expect(left).toEqual(['The endpoint is deleted.']);
    model.heard(anEvent({ category: 'webhook', action: 'deleted', resource_id: 'a' }));
  });

  it('keeps what others changed meanwhile, unless the person insists', async () => {
    let stored = anEndpoint('a');
    const { model, calls } = open({
      get_webhook: () => stored,
      update_webhook: (patch) => (stored = { ...stored, ...patch }),
    });
    const sent = () => calls.filter(([name]) => name === 'update_webhook').map(([, input]) => input);
    stored = { ...stored, events: ['dm.sent'] };
    await model.edit('https://mine.example/');
    expect(sent()).toEqual([{ webhook_id: 'a', url: 'https://mine.example/' }]);

    stored = { ...stored, url: 'https://theirs.example/' };
    await model.edit('https://mine.example/again');
    expect([sent().length, model.problem.value]).toEqual([1, expect.stringContaining('the address')]);
    await model.edit('https://mine.example/again');
    expect([sent().at(-1), model.problem.value]).toEqual([
      { webhook_id: 'a', url: 'https://mine.example/again' },
      undefined,
    ]);
    expect(stored.events).toEqual(['dm.sent']);
  });

  it('says why a change was refused', async () => {
    const { model, calls } = open({});
    model.choosing.reset([]);
    await model.edit('https://b.example/');
    expect([model.problem.value, calls]).toEqual(['Choose at least one event.', []]);
  });
});

describe('deliveries', () => {
  const open = (answers: Parameters<typeof answering>[0], first = pageOf(['b', 'a'], 'next')) => {
    const { deps, ...rest } = given(answers);
    const model = makeDeliveries({ ...deps, input: { webhook_id: 'w' }, first });
    return { model, ids: () => model.deliveries.value.map(({ id }) => id), ...rest };
  };

  it('are listed page by page; new ones wait to be shown', async () => {
    const { model, ids, settle } = open({
      list_webhook_deliveries: ({ cursor }) => pageOf(cursor === undefined ? ['c', 'b'] : ['a', 'z']),
    });
    await model.more();
    expect([ids(), model.hasMore.value]).toEqual([['b', 'a', 'z'], false]);
    model.heard();
    settle();
    await expect.poll(() => model.newCount.value).toBe(1);
    expect(ids()).toEqual(['b', 'a', 'z']);
    model.showNew();
    expect([ids(), model.newCount.value]).toEqual([['c', 'b', 'a', 'z'], 0]);
  });

  it('are looked at again while one waits, sooner when it is due', async () => {
    const waiting = aDelivery('a', { status: 'pending', attempt_count: 0 });
    const failing = aDelivery('a', { status: 'pending', attempt_count: 1 });
    const { model, waits, settle } = open({ list_webhook_deliveries: () => pageOf([failing]) }, pageOf([waiting]));
    model.watch();
    settle();
    await expect.poll(() => waits).toEqual([2000, 20_000]);
  });

  it('are opened with their attempts, also one further down, and say why they cannot be read', async () => {
    const { model, ids } = open({
      get_webhook_delivery({ delivery_id }) {
        if (delivery_id === 'gone') throw aRefusal('No such delivery.');
        return aDelivery(delivery_id, { attempts: [] });
      },
    });
    await model.open('old');
    expect([model.opened.value!.detail!.id, ids()]).toEqual(['old', ['old', 'b', 'a']]);
    await model.open('gone');
    expect(model.opened.value).toEqual({ id: 'gone', problem: 'No such delivery.' });
    model.close();
    expect(model.opened.value).toBeUndefined();
  });

  it('that wait are read one by one where a page of another state does not have them', async () => {
    const again = aDelivery('c', { status: 'pending', attempt_count: 0, attempts: [] });
    const failed = pageOf([aDelivery('b', { status: 'failed' }), aDelivery('a', { status: 'failed' })]);
    const { model, settle, waits } = open(
      {
        retry_webhook_delivery: () => again,
        list_webhook_deliveries: () => failed,
        get_webhook_delivery: ({ delivery_id }) => aDelivery(delivery_id, { attempts: [] }),
      },
      failed,
    );
    await model.retry('a');
    settle();
    await expect.poll(() => model.deliveries.value[0]!.status).toBe('delivered');
    await expect.poll(() => model.opened.value!.detail!.status).toBe('delivered');
    expect([settle(), waits]).toEqual([undefined, [2000]]);
  });

  it('that wait are dropped once they are no longer kept, and asked for in turn', async () => {
    const many = Array.from({ length: 25 }, (_, at) => aDelivery(`p${at}`, { status: 'pending' }));
    const asked: string[] = [];
    const { model, ids } = open(
      {
        list_webhook_deliveries: () => pageOf([]),
        get_webhook_delivery({ delivery_id }) {
          asked.push(delivery_id);
          if (delivery_id === 'p3') throw aRefusal('No such delivery.', 404);
          return aDelivery(delivery_id, { status: 'pending' });
        },
      },
      pageOf(many),
    );
    for (let turns = 0; turns < 3; turns += 1) await model.reread();
    expect([new Set(asked).size, ids().includes('p3'), ids().length]).toEqual([25, false, 24]);
  });

  it('leave no hole where more came than fit on a page', async () => {
    const { model, ids, calls, settle } = open({
      replay_webhook: () => ({ replayed: 40 }),
      list_webhook_deliveries: ({ cursor }) => (cursor === undefined ? pageOf(['f', 'e'], 'below e') : pageOf(['d'])),
      get_webhook_delivery: () => aDelivery('a', { attempts: [] }),
    });
    model.heard();
    settle();
    await expect.poll(() => model.newCount.value).toBe(2);
    expect(ids()).toEqual(['b', 'a']);
    await model.replay('2026-01-31T09:00:00Z');
    expect(ids()).toEqual(['f', 'e']);
    await model.more();
    expect([calls.at(-1)![1].cursor, ids()]).toEqual(['below e', ['f', 'e', 'd']]);
  });

  it('drop a page that was asked for below a list that is no longer there', async () => {
    const below = Promise.withResolvers<unknown>();
    const { model, ids } = open({
      list_webhook_deliveries: ({ cursor }) => (cursor === 'next' ? below.promise : pageOf(['f', 'e'], 'below e')),
    });
    const more = model.more();
    await model.reread();
    below.resolve(pageOf(['Z']));
    await more;
    expect([ids(), model.hasMore.value]).toEqual([['f', 'e'], true]);
  });

  it('are opened and closed in any order while one is read', async () => {
    const reads: Record<string, PromiseWithResolvers<unknown>> = {
      a: Promise.withResolvers(),
      z: Promise.withResolvers(),
    };
    const { model, ids } = open({ get_webhook_delivery: ({ delivery_id }) => reads[delivery_id]!.promise });
    const read = (id: string) => reads[id]!.resolve(aDelivery(id, { attempts: [] }));
    const opening = [model.open('z'), model.open('a')];
    read('z');
    await opening[0];
    expect([model.opened.value, ids()]).toEqual([{ id: 'a' }, ['b', 'a']]);
    model.close();
    read('a');
    await opening[1];
    expect(model.opened.value).toBeUndefined();
  });

  it('are sent again, one by one or since a time', async () => {
    const again = aDelivery('c', { status: 'pending', attempt_count: 0, attempts: [] });
    const { model, ids, said, calls } = open({
      retry_webhook_delivery: () => again,
      replay_webhook: () => ({ replayed: 2 }),
      list_webhook_deliveries: () => pageOf(['e', 'd', 'c']),
      get_webhook_delivery: () => aDelivery('c', { attempts: [] }),
    });
    await model.retry('a');
    expect([ids(), model.opened.value!.id, said.pop()]).toEqual([
      ['c', 'b', 'a'],
      'c',
      'Sent again, as a new delivery.',
    ]);
    await model.replay('2026-01-31T09:00:00Z');
    expect([ids(), said.pop()]).toEqual([['e', 'd', 'c', 'b', 'a'], '2 events are sent again.']);
    expect(named(calls)).toContain('replay_webhook');
  });
});

describe('a test', () => {
  it('sends the sample of an event, or what was typed for it', async () => {
    let sent = 0;
    const { deps, calls, said } = given({ test_webhook: () => ({ status: 'failed', response_status_code: 500 }) });
    const testing = makeTesting({ ...deps, webhook_id: 'w', event: 'dm.sent', sent: async () => (sent += 1) });
    await testing.send();
    expect(calls[0]![1]).toMatchObject({ event_type: 'dm.sent', payload: { event: 'dm.sent' } });
    expect([testing.result.value!.status, sent, said]).toEqual(['failed', 1, []]);
    testing.type('{');
    testing.choose('post.failed');
    expect(testing.body.value).toBe(sampleOf('post.failed'));
    testing.choose('dm.sent');
    await testing.send();
    expect([testing.problem.value, calls.length]).toEqual([expect.stringContaining('not JSON'), 1]);
    testing.restore();
    expect(testing.body.value).toBe(sampleOf('dm.sent'));
  });

  it('whose answer was lost may have been sent, and is said so', async () => {
    const { deps, said } = given({
      test_webhook() {
        throw new TypeError('fetch failed');
      },
    });
    await makeTesting({ ...deps, webhook_id: 'w', event: 'dm.sent', sent: async () => {} }).send();
    expect(said).toEqual([expect.stringMatching(/may have been sent.*sends another/)]);
  });

  it('has a sample of every event', () => {
    const samples = CATALOGUE.map(({ event }) => JSON.parse(sampleOf(event)) as { event: string; data: object });
    expect(samples.map(({ event }) => event)).toEqual(CATALOGUE.map(({ event }) => event));
    expect(samples.filter(({ data }) => Object.keys(data).length === 0)).toEqual([]);
    for (const { data } of samples.filter(({ event }) => event.startsWith('action.')))
      expect(Object.keys(data)).toEqual(ACTION_EVENT_DATA.required);
  });
});
