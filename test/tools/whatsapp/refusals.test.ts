import { describe, expect, it } from 'vitest';
import type { FailureCode } from '../../../src/platforms/errors.ts';
import { aTemplate, refusedWith } from '../../harness/platforms/business.ts';
import { refusedAs, revoked, silent, throttledFor, type Verdict } from '../../harness/platforms/network.ts';
import { call, expectRefusal, toolOf } from '../../harness/calls/operations.ts';
import { businessStage, NUMBER } from './stage.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { CALLS, INPUTS, setStatus, TEMPLATE_ID } from './inputs.ts';

const NAMES = Object.keys(INPUTS);

async function scene() {
  const stage = await businessStage();
  stage.business.templates.set(TEMPLATE_ID, aTemplate(TEMPLATE_ID));
  return stage;
}

/** What a platform may answer to anything, and what comes of it. */
const REASONS: readonly (readonly [Verdict, string])[] = [
  [throttledFor(7), 'platform.whatsapp.rate_limit'],
  [refusedAs('permission_denied', 'Not you.'), 'platform.whatsapp.permission_denied'],
  [refusedAs('invalid_request', 'Not this.'), 'platform.whatsapp.invalid_request'],
  [refusedAs('blocked', 'Locked.'), 'platform.whatsapp.blocked'],
  [refusedAs('not_found', 'Gone.'), 'platform.whatsapp.not_found'],
  [refusedWith('whatsapp.unknown'), 'whatsapp.unknown'],
];

/** The codes of single operations: how long to wait is said where the platform throttles. */
const OWN: readonly (readonly [name: string, code: FailureCode, status: number, wait?: number])[] = [
  ['register_whatsapp_number', 'resource.conflict', 409],
  ['deregister_whatsapp_number', 'resource.conflict', 409],
  ['create_whatsapp_template', 'resource.conflict', 409],
  ['delete_whatsapp_template', 'resource.conflict', 409],
  ['delete_whatsapp_template', 'whatsapp.template_not_found', 404],
  ['get_whatsapp_template', 'whatsapp.template_not_found', 404],
  ['update_whatsapp_template', 'whatsapp.template_not_found', 404],
  ['update_whatsapp_template', 'whatsapp.template_paused', 409],
  ['update_whatsapp_template', 'resource.conflict', 409],
  ['send_whatsapp_template', 'whatsapp.template_not_found', 404],
  ['send_whatsapp_template', 'whatsapp.template_paused', 409],
  ['send_whatsapp_template', 'whatsapp.user_opted_out', 403],
  ['send_whatsapp_template', 'whatsapp.undeliverable', 400],
  ['send_whatsapp_template', 'whatsapp.frequency_cap', 429, 60],
  ['send_whatsapp_template', 'whatsapp.pair_rate_limit', 429, 60],
  ['send_whatsapp_template', 'whatsapp.throughput_exceeded', 429, 60],
];

describe('an operation of WhatsApp', () => {
  it('names an account of ours or a number of Meta that is not there, and one of another platform', async () => {
    const { world, connect } = await scene();
    const { key: stranger } = await world.stranger();
    const { id: twitter } = await connect('twitter');
    const [{ id: ours }] = (await world.rest('GET /v1/accounts?platform=whatsapp')).body.data;
    for (const name of NAMES) {
      const ask = (id: string, key?: string) => call(world, name, INPUTS[name]!(id), key === undefined ? {} : { key });
      await expectRefusal(ask('acc_none'), 'account.not_found', { resource: 'account', id: 'acc_none' });
      await expectRefusal(ask('999'), 'whatsapp.no_account', { resource: 'account', id: '999' });
      await expectRefusal(ask(ours, stranger), 'account.not_found');
      await expectRefusal(ask(NUMBER, stranger), 'whatsapp.no_account');
      const lacking = await ask(twitter);
      expect([name, lacking.status, lacking.code, lacking.meta.platform]).toEqual([
        name,
        501,
        'resource.not_supported',
        'twitter',
      ]);
    }
  });

  it('is refused on an account that must be connected again, known before or learnt in the call', async () => {
    const { world, net, account } = await scene();
    for (const name of NAMES) {
      net.script(NUMBER, CALLS[name]!, revoked);
      await expectRefusal(call(world, name, INPUTS[name]!(account.id)), 'platform.whatsapp.auth');
      const asked = net.callsOf(CALLS[name]!);
      const dead = await call(world, name, INPUTS[name]!(NUMBER));
      expect([name, dead.status, dead.code]).toEqual([name, 403, 'account.reconnection_required']);
      expect(net.callsOf(CALLS[name]!)).toBe(asked);
      await setStatus(world, account.id, 'active');
    }
  });

  it('hands on what the platform refuses', async () => {
    const { world, net, account } = await scene();
    for (const name of NAMES)
      for (const [verdict, code] of REASONS) {
        net.script(NUMBER, CALLS[name]!, verdict);
        await expectRefusal(call(world, name, INPUTS[name]!(account.id)), code);
      }
    for (const name of NAMES.filter((one) => toolOf(one).effect === 'read')) {
      net.script(NUMBER, CALLS[name]!, silent);
      await expectRefusal(call(world, name, INPUTS[name]!(account.id)), 'platform.whatsapp.api_error');
    }
  });

  it.for(OWN)('%s may be refused with %s', async ([name, code, status, wait]) => {
    const { world, net, account } = await scene();
    net.script(NUMBER, CALLS[name]!, refusedWith(code, wait === undefined ? 'refused' : 'throttled', wait));
    const answer = await call(world, name, INPUTS[name]!(account.id));
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect(toolOf(name).errors).toContain(code);
    const ok = await letTimePass(world, call(world, name, INPUTS[name]!(account.id)));
    expect([name, ok.ok]).toEqual([name, true]);
  });

  it('of which none is declared that is not provoked here', () => {
    const general = ['account.not_found', 'account.reconnection_required', 'resource.not_supported', 'platform.*'];
    const everywhere = new Set([...general, 'whatsapp.no_account', 'whatsapp.unknown']);
    for (const name of NAMES) {
      const own = toolOf(name).errors.filter((code) => !everywhere.has(code));
      expect([name, own.toSorted()]).toEqual([
        name,
        OWN.filter(([one]) => one === name)
          .map(([, code]) => code)
          .toSorted(),
      ]);
    }
  });

  it('takes no input that could not be right', async () => {
    const { world, account, net } = await scene();
    const calls = net.calls.length;
    const wrong: readonly (readonly [name: string, change: object, field: string])[] = [
      ['request_whatsapp_code', { method: 'PIGEON' }, 'method'],
      ['request_whatsapp_code', { language: 'english' }, 'language'],
      ['verify_whatsapp_code', { code: 'abc' }, 'code'],
      ['verify_whatsapp_code', { code: '' }, 'code'],
      ['register_whatsapp_number', { pin: '12345' }, 'pin'],
      ['register_whatsapp_number', { pin: '1234567' }, 'pin'],
      ['register_whatsapp_number', { pin: '12345x' }, 'pin'],
      ['update_whatsapp_business_profile', { about: 'x'.repeat(140) }, 'about'],
      ['update_whatsapp_business_profile', { address: 'x'.repeat(257) }, 'address'],
      ['update_whatsapp_business_profile', { description: 'x'.repeat(513) }, 'description'],
      ['update_whatsapp_business_profile', { email: 'nobody' }, 'email'],
      [
        'update_whatsapp_business_profile',
        { websites: ['https://a.example', 'https://b.example', 'https://c.example'] },
        'websites',
      ],
      ['update_whatsapp_business_profile', { websites: ['nowhere'] }, 'websites.0'],
      ['update_whatsapp_business_profile', { vertical: 'MAGIC' }, 'vertical'],
      ['create_whatsapp_template', { category: 'NEWS' }, 'category'],
      ['create_whatsapp_template', { name: 'Order Sent' }, 'name'],
      ['create_whatsapp_template', { components: [] }, 'components'],
      ['create_whatsapp_template', { components: [{ text: 'a' }] }, 'components.0.type'],
      ['update_whatsapp_template', { components: [] }, 'components'],
      ['send_whatsapp_template', { to: 'Ann' }, 'to'],
      ['send_whatsapp_template', { to: '12' }, 'to'],
      ['send_whatsapp_template', { components: [{ type: 'chorus', parameters: [] }] }, 'components.0.type'],
    ];
    for (const [name, change, field] of wrong) {
      const { code, meta } = await call(world, name, { ...INPUTS[name]!(account.id), ...change });
      expect([name, change, code?.startsWith('validation.'), meta.field]).toEqual([name, change, true, field]);
    }
    const nothing = call(world, 'update_whatsapp_business_profile', { phone_number_id: account.id });
    await expectRefusal(nothing, 'validation.field_required', { field: 'about' });
    // An edit is checked with what it is an edit of.
    expect(net.calls.slice(calls).filter((made) => !made.endsWith('templates.read'))).toEqual([]);
  });
});
