import { describe, expect, it } from 'vitest';
import type { PlatformReason } from '#kernel/errors.ts';
import type { FailureCode } from '#platforms/errors.ts';
import { refusalsOf } from '#serve/refusals.ts';
import { whatsapp } from '#tools/whatsapp/index.ts';
import { aTemplate, refusedWith } from '../../harness/platforms/business.ts';
import { refusedAs, revoked, silent, throttledFor, type Verdict } from '../../harness/platforms/network.ts';
import { call, expectRefusal, expectRequired, toolOf } from '../../harness/calls/operations.ts';
import { businessStage, NUMBER } from './stage.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { CALLS, INPUTS, setStatus, TEMPLATE_ID } from './inputs.ts';

const NAMES = Object.keys(INPUTS);
const VALIDATE = 'validate_whatsapp_template';

async function scene() {
  const stage = await businessStage();
  stage.business.templates.set(TEMPLATE_ID, aTemplate(TEMPLATE_ID));
  return { ...stage, other: await stage.connect('twitter') };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** A scene in which nothing says yet that the operation has been done. */
async function undone(name: string): Promise<Scene> {
  const fresh = await scene();
  fresh.business.status.registered = name === 'deregister_whatsapp_number';
  return fresh;
}

/** The errors that an operation declares itself; what follows from who calls and what is sent is tried for all of them. */
function declaredBy(name: string) {
  const own = new Set<string>(toolOf(name).errors);
  return refusalsOf(toolOf(name)).flatMap(({ code, status }) => {
    const reason = /^platform\.<platform>\.(.*)$/.exec(code)?.[1];
    if (reason === undefined && !own.has(code)) return [];
    return [{ code: reason === undefined ? code : `platform.whatsapp.${reason}`, status }];
  });
}

/** How long to wait where the platform throttles with a code of its own. */
const WAITS: Readonly<Record<string, number>> = {
  'whatsapp.frequency_cap': 60,
  'whatsapp.pair_rate_limit': 60,
  'whatsapp.throughput_exceeded': 60,
};

/** More than anything is tried. */
const TRIES = 20;

/** What the platform answers for an error to be ours; what may pass is met at every try. */
function verdictsFor(code: string): readonly Verdict[] {
  const reason = /^platform\.whatsapp\.(.*)$/.exec(code)?.[1] as PlatformReason | undefined;
  if (reason === 'rate_limit') return [throttledFor(7)];
  if (reason === 'api_error') return Array<Verdict>(TRIES).fill(silent);
  if (reason !== undefined) return [refusedAs(reason, 'No.')];
  const wait = WAITS[code];
  return [refusedWith(code as FailureCode, wait === undefined ? 'refused' : 'throttled', wait)];
}

/** Has an operation meet an error; REST and MCP have to answer alike. */
async function provoke({ world, net, account, other }: Scene, name: string, code: string) {
  const ask = (id: string) => call(world, name, INPUTS[name]!(id));
  if (code === 'account.not_found') return ask('acc_none');
  if (code === 'whatsapp.no_account') return ask('999');
  if (code === 'resource.not_supported') return ask(other.id);
  if (code === 'account.reconnection_required') await setStatus(world, account.id, 'reconnect_required');
  else net.script(NUMBER, CALLS[name]!, ...verdictsFor(code));
  return letTimePass(world, ask(account.id));
}

describe('an operation of WhatsApp', () => {
  it.each(NAMES)('%s is refused with every error that it declares', async (name) => {
    const stage = await scene();
    const declared = declaredBy(name);
    expect(declared.length).toBeGreaterThan(8);
    for (const { code, status } of declared) {
      // What may pass is tried again, until the state of the number or template says that it has been done.
      const used = code.endsWith('.api_error') ? await undone(name) : stage;
      const met = await provoke(used, name, code);
      expect([code, met.code, met.status]).toEqual([code, code, status]);
      await setStatus(used.world, used.account.id, 'active');
    }
    const done = await letTimePass(stage.world, call(stage.world, name, INPUTS[name]!(stage.account.id)));
    expect([name, done.ok]).toEqual([name, true]);
  });

  it('is one of the 14, of which the check of a draft reaches nobody', () => {
    const all = whatsapp.tools.map(({ name }) => name);
    expect(all.toSorted()).toEqual([...NAMES, VALIDATE].toSorted());
    // Provoked where templates are checked.
    expect(declaredBy(VALIDATE).map(({ code }) => code)).toEqual(['resource.not_supported']);
  });

  it("names what there is none of, also where it is a stranger's", async () => {
    const { world, other } = await scene();
    const { key: stranger } = await world.stranger();
    const [{ id: ours }] = (await world.rest('GET /v1/accounts?platform=whatsapp')).body.data;
    for (const name of NAMES) {
      const ask = (id: string, key?: string) => call(world, name, INPUTS[name]!(id), key === undefined ? {} : { key });
      await expectRefusal(ask('acc_none'), 'account.not_found', { resource: 'account', id: 'acc_none' });
      await expectRefusal(ask('999'), 'whatsapp.no_account', { resource: 'account', id: '999' });
      await expectRefusal(ask(ours, stranger), 'account.not_found');
      await expectRefusal(ask(NUMBER, stranger), 'whatsapp.no_account');
      await expectRefusal(ask(other.id), 'resource.not_supported', { platform: 'twitter' });
    }
  });

  it('asks nobody on an account that must be connected again', async () => {
    const { world, net, account } = await scene();
    for (const name of NAMES) {
      net.script(NUMBER, CALLS[name]!, revoked);
      await expectRefusal(call(world, name, INPUTS[name]!(account.id)), 'platform.whatsapp.auth');
      const asked = net.callsOf(CALLS[name]!);
      await expectRefusal(call(world, name, INPUTS[name]!(NUMBER)), 'account.reconnection_required');
      expect(net.callsOf(CALLS[name]!)).toBe(asked);
      await setStatus(world, account.id, 'active');
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
    await expectRequired(call(world, 'update_whatsapp_business_profile', { phone_number_id: account.id }), 'about');
    // An edit is checked with what it is an edit of.
    expect(net.calls.slice(calls).filter((made) => !made.endsWith('templates.read'))).toEqual([]);
  });
});
