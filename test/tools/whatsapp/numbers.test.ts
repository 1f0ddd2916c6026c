import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { tablesOf } from '../../harness/stores/images.ts';
import { lost, silent } from '../../harness/platforms/network.ts';
import { call, expectRefusal, requestOf, toolOf } from '../../harness/calls/operations.ts';
import { businessStage, NUMBER } from './stage.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import type { World } from '../../harness/world.ts';

const it = test.extend('stage', () => businessStage());

const PIN = '424242';
const CODE = '313131';

/** Everything that is stored, as text. */
async function storedText({ product }: World): Promise<string> {
  const rows: unknown[] = [];
  for (const name of await tablesOf())
    rows.push((await sql`select * from ${sql.table(name)}`.execute(product.store.db)).rows);
  return JSON.stringify(rows);
}

describe('a phone number', () => {
  it.for(['our id', "Meta's id"])(
    'is verified, registered and taken off by %s',
    async (by, { stage: { world, net, business, account } }) => {
      const phone_number_id = by === 'our id' ? account.id : NUMBER;
      const done = { success: true, ok: true, id: account.id };
      const step = async (name: string, more: object = {}) => {
        const { status, body } = await call(world, name, { phone_number_id, ...more });
        expect([name, status]).toEqual([name, 200]);
        return body;
      };
      const isNow = () => step('get_whatsapp_number_status');
      expect(await isNow()).toEqual({ verified: false, registered: false });
      expect(await step('request_whatsapp_code')).toEqual(done);
      expect(await step('request_whatsapp_code', { method: 'VOICE', language: 'pt_BR' })).toEqual(done);
      expect(await step('verify_whatsapp_code', { code: '123-456' })).toEqual(done);
      expect(await isNow()).toEqual({ verified: true, registered: false });
      expect(await step('register_whatsapp_number', { pin: PIN })).toEqual(done);
      expect(await isNow()).toEqual({ verified: true, registered: true });
      expect(await step('deregister_whatsapp_number')).toEqual(done);
      expect(await isNow()).toEqual({ verified: true, registered: false });
      expect(net.callsOf('numbers.request_code')).toBe(2);
      expect(business.codes).toEqual([
        { method: 'SMS', language: 'en_US' },
        { method: 'VOICE', language: 'pt_BR' },
        '123456',
        PIN,
      ]);
      const { interactions_used, posts_used } = (await call(world, 'get_usage')).body;
      expect([interactions_used, posts_used]).toEqual([0, 0]);
    },
  );

  it('has a profile, of which what is named changes', async ({ stage: { world, account } }) => {
    const read = { phone_number_id: NUMBER };
    const profile = async () => (await call(world, 'get_whatsapp_business_profile', read)).body;
    expect(await profile()).toEqual({ messaging_product: 'whatsapp', about: 'Bread' });
    const change = {
      about: 'Bread and rolls',
      email: 'a@shop.example',
      websites: ['https://shop.example'],
      vertical: 'RETAIL',
    };
    const changed = await call(world, 'update_whatsapp_business_profile', { phone_number_id: account.id, ...change });
    expect([changed.status, changed.body]).toEqual([200, { messaging_product: 'whatsapp', ...change }]);
    await call(world, 'update_whatsapp_business_profile', { ...read, email: '', websites: [] });
    expect(await profile()).toMatchObject({ about: 'Bread and rolls', email: '', websites: [] });
  });

  it('is changed once though the answer is lost: its state says that it was', async () => {
    const { world, net, business, account } = await businessStage();
    const phone_number_id = account.id;
    const lostOnce = async (name: string, operation: string, more: object) => {
      net.script(NUMBER, operation, lost);
      const { ok } = await letTimePass(world, call(world, name, { phone_number_id, ...more }));
      expect([name, ok, net.callsOf(operation)]).toEqual([name, true, 1]);
    };
    await lostOnce('verify_whatsapp_code', 'numbers.verify_code', { code: CODE });
    await lostOnce('register_whatsapp_number', 'numbers.register', { pin: PIN });
    await lostOnce('deregister_whatsapp_number', 'numbers.deregister', {});
    expect(business.status).toEqual({ verified: true, registered: false });
  });

  it('is not sent another code while nobody knows whether the first one left', async ({ stage: { world, net } }) => {
    const { route, body } = requestOf(toolOf('request_whatsapp_code'), { phone_number_id: NUMBER });
    const ask = (key: string) => letTimePass(world, world.rest(route, body, { headers: { 'Idempotency-Key': key } }));
    net.script(NUMBER, 'numbers.request_code', lost);
    const first = await ask('one');
    expect([first.status, first.body.error.code]).toEqual([502, 'platform.whatsapp.api_error']);
    await world.pass(3_600_000);
    expect([(await ask('one')).status, net.callsOf('numbers.request_code')]).toEqual([502, 1]);
    expect([(await ask('two')).status, net.callsOf('numbers.request_code')]).toEqual([200, 2]);
  });

  it('keeps its codes and PINs to itself', async ({ stage: { world, net, account } }) => {
    const phone_number_id = account.id;
    net.script(NUMBER, 'numbers.verify_code', silent);
    await letTimePass(world, call(world, 'verify_whatsapp_code', { phone_number_id, code: CODE }));
    await call(world, 'register_whatsapp_number', { phone_number_id, pin: PIN });
    const { route, body } = requestOf(toolOf('register_whatsapp_number'), { phone_number_id, pin: PIN });
    await world.rest(route, body, { headers: { 'Idempotency-Key': 'one' } });
    const everything = (await storedText(world)) + world.log.join('\n');
    for (const secret of [PIN, CODE]) expect(everything).not.toContain(secret);
  });

  it('is there for keys of its brand alone', async ({ stage: { world, account } }) => {
    const { body: other } = await world.rest('POST /v1/brands', { name: 'Other' });
    const [own, foreign] = [
      await world.newKey({ brand_ids: [account.brand_id] }),
      await world.newKey({ brand_ids: [other.id] }),
    ];
    for (const phone_number_id of [account.id, NUMBER]) {
      const ask = (key: string) => call(world, 'get_whatsapp_number_status', { phone_number_id }, { key });
      expect((await ask(own)).ok).toBe(true);
      const code = phone_number_id === NUMBER ? 'whatsapp.no_account' : 'account.not_found';
      await expectRefusal(ask(foreign), code, { id: phone_number_id });
    }
  });
});
