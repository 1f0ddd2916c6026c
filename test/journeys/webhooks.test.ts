import { expect } from 'vitest';
import { it as test, makeWorld } from '../harness/world.ts';

const it = test.extend('receiver', ({ world }) => world.receive(connected));

const connected = ['account.connected'];

it('an endpoint hears of every account and brand of its workspace, and of no other workspace', async () => {
  const world = await makeWorld();
  const receiver = await world.receive(connected);
  const stranger = await world.stranger();
  const { body: brand } = await world.rest('POST /v1/brands', { name: 'Second' });
  const accounts = [await world.connect(0, world.brandId), await world.connect(1, brand.id)];
  const person = world.product.sandbox!.people()[2]!;
  const metadata = { identifier: person.handle, app_password: person.credentials['app_password'] };
  const elsewhere = await world.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata }, stranger);
  expect(elsewhere.status).toBe(201);
  await world.settle();
  expect(receiver.received.map(({ body }) => [body.data['account_id'], body.data['brand_id']])).toEqual([
    [accounts[0].id, world.brandId],
    [accounts[1].id, brand.id],
  ]);
});

it('what happens while an endpoint is off is not sent later, but stays in the events log', async () => {
  const world = await makeWorld();
  const receiver = await world.receive(connected);
  await world.rest(`PATCH /v1/webhooks/${receiver.id}`, { is_active: false });
  const account = await world.connect();
  await world.settle();
  await world.rest(`PATCH /v1/webhooks/${receiver.id}`, { is_active: true });
  await world.pass(86_400_000);
  expect(receiver.received).toEqual([]);
  const { data } = (await world.rest('GET /v1/events?category=account')).body;
  expect(data).toMatchObject([{ action: 'connected', account_id: account.id }]);
});

it('a body that is no JSON object is refused by every operation that takes one', async () => {
  const world = await makeWorld();
  const { id } = await world.receive(connected);
  const calls = [
    'POST /v1/webhooks',
    `PATCH /v1/webhooks/${id}`,
    `POST /v1/webhooks/${id}/test`,
    `POST /v1/webhooks/${id}/replay`,
  ] as const;
  for (const call of calls) {
    for (const text of ['{"url":', '[]', '"text"', 'null']) {
      const { status, body } = await world.rest(call, text, { headers: { 'Content-Type': 'application/json' } });
      expect([call, text, status, body.error.code]).toEqual([call, text, 400, 'validation.body_invalid']);
    }
  }
  const { body: list } = await world.rest('GET /v1/webhooks');
  expect(list.data).toMatchObject([{ id, events: connected, is_active: true }]);
});

it('any status from 200 to 299 is an arrival, and no other is', async ({ world }) => {
  const receiver = await world.receive(['post.published']);
  for (const [answer, status] of [
    [200, 'delivered'],
    [202, 'delivered'],
    [299, 'delivered'],
    [300, 'failed'],
    [304, 'failed'],
    [404, 'failed'],
    [410, 'failed'],
    [599, 'failed'],
  ] as const) {
    receiver.answer(answer);
    const { body } = await world.rest(`POST /v1/webhooks/${receiver.id}/test`, { event_type: 'try', payload: answer });
    expect([body.response_status_code, body.status]).toEqual([answer, status]);
  }
});

it('a page of deliveries has 1 to 100 of them, and 50 when nobody says', async ({ world, receiver: { id } }) => {
  const path = `GET /v1/webhooks/${id}/deliveries` as const;
  for (let n = 0; n < 51; n += 1) await world.rest(`POST /v1/webhooks/${id}/test`, { event_type: 'try', payload: n });
  const whole = (await world.rest(path)).body;
  expect([whole.count, whole.data.length, whole.pagination.limit]).toEqual([51, 50, 50]);
  const rest = (await world.rest(`${path}?cursor=${whole.next_cursor}`)).body;
  expect([rest.count, rest.data.length, rest.next_cursor]).toEqual([51, 1, '']);
  const widest = (await world.rest(`${path}?limit=101`)).body;
  expect([widest.data.length, widest.pagination.limit]).toEqual([51, 100]);
  for (const limit of ['0', '-1', 'many', '1.5']) {
    const { status, body } = await world.rest(`${path}?limit=${limit}`);
    expect([limit, status, body.error.code]).toEqual([limit, 400, 'validation.field_invalid']);
  }
});
