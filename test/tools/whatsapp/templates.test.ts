import { describe, expect, test } from 'vitest';
import type { Template } from '#platforms/business.ts';
import { aTemplate } from '../../harness/platforms/business.ts';
import { lost, refusedAs, revoked, silent } from '../../harness/platforms/network.ts';
import {
  call,
  expectInvalid,
  expectRefusal,
  expectRequired,
  requestOf,
  toolOf,
} from '../../harness/calls/operations.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { businessStage, NUMBER, type BusinessStage } from './stage.ts';
import { allOf, letTimePass } from '../../harness/worlds/social.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { BODY, DRAFT, setStatus } from './inputs.ts';

const it = test.extend('stage', () => businessStage());

const OTHER = '200300400';

const remembered = ({ product }: World) =>
  product.store.db.selectFrom('templates').select(['account_id', 'id', 'name', 'body']).orderBy('id').execute();

/** Templates of the fake platform, by their ids. */
function hold({ business }: BusinessStage, ...templates: readonly Template[]): void {
  for (const one of templates) business.templates.set(one.id, one);
}

describe('templates', () => {
  it.for(['our id', "Meta's id"])(
    'are created, listed, read, changed and deleted by %s',
    async (by, { stage: { world, account, business } }) => {
      const account_id = by === 'our id' ? account.id : NUMBER;
      const made = await call(world, 'create_whatsapp_template', { account_id, ...DRAFT });
      expect([made.status, made.body]).toEqual([201, { id: '701', status: 'PENDING', category: 'UTILITY' }]);
      const template = { id: '701', status: 'PENDING', ...DRAFT };
      const listed = (await call(world, 'list_whatsapp_templates', { account_id })).body;
      expect(listed).toEqual({
        data: [template],
        paging: { cursors: { before: '', after: '' } },
        pagination: { has_more: false, next_cursor: '', limit: 25 },
        next_cursor: '',
      });
      const ref = { template_id: '701' };
      expect((await call(world, 'get_whatsapp_template', { ...ref, account_id })).body).toEqual(template);
      expect((await call(world, 'get_whatsapp_template', ref)).body).toEqual(template);
      const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
      const changed = await call(world, 'update_whatsapp_template', { ...ref, components });
      expect([changed.status, changed.body]).toEqual([200, { success: true, ok: true, id: '701' }]);
      expect(business.templates.get('701')).toMatchObject({ name: 'order_sent', components });
      expect(await remembered(world)).toMatchObject([{ id: '701', body: 'Hi {{1}}' }]);
      const gone = await call(world, 'delete_whatsapp_template', { account_id, name: 'order_sent' });
      expect([gone.status, gone.body]).toEqual([200, { success: true, ok: true, id: 'order_sent' }]);
      expect([business.templates.size, await remembered(world)]).toEqual([0, []]);
      const missing = call(world, 'get_whatsapp_template', ref);
      await expectRefusal(missing, 'whatsapp.template_not_found', { resource: 'template', id: '701' });
    },
  );

  it('are listed page by page, with cursors that are ours', async ({ stage }) => {
    const { world, account, connect } = stage;
    hold(stage, ...[1, 2, 3, 4, 5].map((n) => aTemplate(`70${n}`)));
    const rows = await allOf(world, 'list_whatsapp_templates', { account_id: account.id }, 2);
    expect(rows.map(({ id }) => id)).toEqual(['701', '702', '703', '704', '705']);
    const { body: first } = await call(world, 'list_whatsapp_templates', { account_id: NUMBER, limit: 2 });
    expect(first.paging.cursors).toEqual({ before: '', after: first.next_cursor });
    const next = await world.rest(`GET ${first.paging.next as `/${string}`}`);
    expect(next.body.data.map(({ id }: Template) => id)).toEqual(['703', '704']);
    // It is of the account, however that is named.
    const { next_cursor: cursor } = first;
    expect((await call(world, 'list_whatsapp_templates', { account_id: account.id, cursor })).ok).toBe(true);
    const { id: other } = await connect('whatsapp', OTHER);
    for (const wrong of [
      { account_id: other, cursor },
      { account_id: NUMBER, cursor: '2' },
    ])
      await expectInvalid(call(world, 'list_whatsapp_templates', wrong), 'cursor');
    expect(
      (await call(world, 'list_whatsapp_templates', { account_id: NUMBER, limit: 500 })).body.pagination.limit,
    ).toBe(100);
  });

  it('are checked without asking anybody, as they are before they are handed in', async () => {
    const { world, net, account } = await businessStage();
    const calls = net.calls.length;
    const check = async (draft: Readonly<Record<string, unknown>>) =>
      (await call(world, 'validate_whatsapp_template', draft)).body;
    expect(await check(DRAFT)).toEqual({ valid: true, errors: [], warnings: [] });
    const wrong = await check({ ...DRAFT, name: 'Order Sent', category: 'NEWS' });
    expect(wrong).toEqual({ valid: false, errors: [{ field: 'name', message: 'must be lower case' }], warnings: [] });
    expect((await check({})).valid).toBe(false);
    const create = call(world, 'create_whatsapp_template', { account_id: account.id, ...DRAFT, name: 'Order Sent' });
    await expectRefusal(create, 'validation.field_invalid', { field: 'name', errors: wrong.errors });
    expect(net.calls.length).toBe(calls);
  });

  it('cannot be checked where the platform is not part of the server', async () => {
    const world = await makeWorld({ surroundings: { platforms: new Map() } });
    const { status, code } = await call(world, 'validate_whatsapp_template', DRAFT);
    expect([status, code]).toEqual([501, 'resource.not_supported']);
    await expectRefusal(call(world, 'get_whatsapp_template', { template_id: '1' }), 'whatsapp.no_account');
  });
});

describe('a template whose account is not named', () => {
  it('is looked for where it was, and then everywhere else', async ({ stage }) => {
    const { world, net, account, connect } = stage;
    const second = await connect('whatsapp', OTHER);
    hold(stage, aTemplate('1', { owner: NUMBER }), aTemplate('2', { owner: OTHER }));
    await call(world, 'list_whatsapp_templates', { account_id: account.id });
    const read = (template_id: string) => call(world, 'get_whatsapp_template', { template_id });
    net.calls.length = 0;
    expect((await read('1')).body.name).toBe('order_1');
    expect(net.calls).toEqual([`${NUMBER} templates.read`]);
    expect((await read('2')).body.name).toBe('order_2');
    net.calls.length = 0;
    await read('2');
    expect(net.calls).toEqual([`${OTHER} templates.read`]);
    // It has moved, as far as we know.
    hold(stage, aTemplate('2', { owner: NUMBER }));
    expect((await read('2')).ok).toBe(true);
    expect((await remembered(world)).filter(({ id }) => id === '2')).toMatchObject([{ account_id: account.id }]);
    const named = call(world, 'get_whatsapp_template', { template_id: '2', account_id: second.id });
    await expectRefusal(named, 'whatsapp.template_not_found');
  });

  it('is not said to be nowhere while an account cannot be asked', async ({ stage }) => {
    const { world, net, connect } = stage;
    const second = await connect('whatsapp', OTHER);
    hold(stage, aTemplate('1', { owner: NUMBER }));
    const read = (template_id = '1') => call(world, 'get_whatsapp_template', { template_id });
    await setStatus(world, second.id, 'reconnect_required');
    expect((await read()).ok).toBe(true);
    await expectRefusal(read('9'), 'account.reconnection_required', { id: second.id });
    await setStatus(world, second.id, 'active');
    net.script(OTHER, 'templates.read', refusedAs('permission_denied', 'Not you.'));
    await expectRefusal(read('9'), 'platform.whatsapp.permission_denied');
    net.script(OTHER, 'templates.read', revoked);
    await expectRefusal(read('9'), 'platform.whatsapp.auth');
    await setStatus(world, second.id, 'active');
    // A platform that is away is away for all.
    net.script(OTHER, 'templates.read', silent);
    net.calls.length = 0;
    await expectRefusal(read('9'), 'platform.whatsapp.api_error');
    expect(net.calls).toEqual([`${OTHER} templates.read`]);
    await expectRefusal(read('9'), 'whatsapp.template_not_found');
  });

  it('is asked for of a few accounts at most', async ({ stage: { world, net, connect } }) => {
    for (let n = 0; n < 10; n += 1) await connect('whatsapp', `30040050${n}`);
    net.calls.length = 0;
    await expectRequired(call(world, 'get_whatsapp_template', { template_id: '9' }), 'account_id');
    expect(net.calls).toHaveLength(10);
  });

  it('is found for keys of its brand, and in its workspace alone', async ({ stage }) => {
    const { world, account } = stage;
    hold(stage, aTemplate('1'));
    await call(world, 'list_whatsapp_templates', { account_id: account.id });
    const { body: other } = await world.rest('POST /v1/brands', { name: 'Other' });
    const keys = [await world.newKey({ brand_ids: [other.id] }), (await world.stranger()).key];
    const ask = (key: string) => call(world, 'get_whatsapp_template', { template_id: '1' }, { key });
    for (const key of keys) await expectRefusal(ask(key), 'whatsapp.no_account');
    expect((await ask(await world.newKey({ brand_ids: [account.brand_id] }))).ok).toBe(true);
  });
});

describeStores('a template', (stores) => {
  it('is created once, though the answer is lost', async () => {
    const { world, net, business } = await businessStage({ store: await stores.open() });
    const { route, body } = requestOf(toolOf('create_whatsapp_template'), { account_id: NUMBER, ...DRAFT });
    const create = () => letTimePass(world, world.rest(route, body, { headers: { 'Idempotency-Key': 'one' } }));
    net.script(NUMBER, 'templates.create', lost);
    const first = await create();
    expect([first.status, first.body]).toEqual([201, { id: '701', status: 'PENDING', category: 'UTILITY' }]);
    expect((await create()).body).toEqual(first.body);
    expect([business.templates.size, net.callsOf('templates.create')]).toEqual([1, 1]);
    expect(await remembered(world)).toMatchObject([{ id: '701', name: 'order_sent', body: BODY.text }]);
  });

  it('is forgotten with its account, and by its name in all languages', async () => {
    const stage = await businessStage({ store: await stores.open() });
    const { world, account, connect } = stage;
    hold(
      stage,
      aTemplate('1', { name: 'one' }),
      aTemplate('2', { name: 'one', language: 'de', components: [{ type: 'body', text: 'Null \0 byte' }] }),
      aTemplate('3', { name: 'two', components: [{ type: 'HEADER', format: 'IMAGE' }] }),
    );
    const list = (account_id: string) => call(world, 'list_whatsapp_templates', { account_id });
    const ids = async () => (await remembered(world)).map(({ id }) => id);
    await list(account.id);
    await list(account.id);
    expect(await remembered(world)).toMatchObject([{ id: '1' }, { body: 'Null  byte' }, { body: '' }]);
    await call(world, 'delete_whatsapp_template', { account_id: account.id, name: 'one' });
    expect(await ids()).toEqual(['3']);
    const { id: other } = await connect('whatsapp', OTHER);
    await list(other);
    await world.rest(`DELETE /v1/accounts/${account.id}`);
    await world.settle();
    expect((await remembered(world)).map(({ account_id }) => account_id)).toEqual([other]);
  });
});
