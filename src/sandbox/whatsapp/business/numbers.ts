/** Phone numbers: what they are, how they are verified and registered, and the profile that customers see. */
import { badParam } from '../../graph/api/errors.ts';
import type { Look } from '../../graph/api/render.ts';
import { pageAt, drawList, drawOne, fileUrl, live } from '../../graph/world.ts';
import type { Call, Methods } from '../../graph/world.ts';
import { fieldsOf } from '../../graph/world.ts';
import { draw } from '../../graph/api/render.ts';
import { fixedId } from '../../kit/ids.ts';
import { ABOUT } from '../about.ts';
import type { Customers } from '../customers.ts';
import type { PhoneNumber } from '../docs.ts';
import { missing, refusal, requireAccount } from '../errors.ts';
import type { World } from '../world.ts';

const HOUR = 3_600_000;
const CODE_LIFE = 10 * 60_000;
const MOST_TRIES = 10;
const MOST_MISSES = 5;
const REGIONS = ['AE', 'AU', 'BH', 'BR', 'CA', 'CH', 'DE', 'GB', 'ID', 'IN', 'JP', 'KR', 'SG', 'ZA'] as const;
const VERTICALS =
  'OTHER AUTO BEAUTY APPAREL EDU ENTERTAIN EVENT_PLAN FINANCE GROCERY GOVT HOTEL HEALTH NONPROFIT PROF_SERVICES RETAIL TRAVEL RESTAURANT ALCOHOL ONLINE_GAMBLING PHYSICAL_GAMBLING OTC_DRUGS'.split(
    ' ',
  );
/** The members of a profile that are texts, and how long they may be. */
const TEXTS: Readonly<Record<string, number>> = { about: 139, address: 256, description: 512, email: 128 };

/** The numbers on a new twin: whose account, digits, as people write it, and whether it is ready to send. */
const RESIDENTS = Object.freeze([
  ['Wells Bakery', '12025550110', '+1 202-555-0110', true],
  ['Otto Outdoor', '12025550120', '+1 202-555-0120', true],
  ['Otto Outdoor', '12025550121', '+1 202-555-0121', true],
  ['Otto Rentals', '447700900122', '+44 7700 900122', false],
] as const);

/** Puts the numbers of a new twin there. */
export function restoreNumbers({ nodes, clock, people }: Pick<World, 'nodes' | 'clock' | 'people'>): void {
  for (const [account, digits, display, isReady] of RESIDENTS) {
    const page_id = people.findPage(account)?.id;
    if (page_id === undefined) continue;
    nodes.put('number', {
      id: fixedId(ABOUT.slug, 'number', digits),
      at: clock.now(),
      page_id,
      digits,
      display,
      verified_name: account,
      isVerified: isReady,
      isRegistered: isReady,
      tries: [],
      misses: [],
      profile: {},
    });
  }
}

/** How a number looks; the word for a registered one is another in lists. */
const numberLook = (registered: 'CONNECTED' | 'LINKED'): Look<PhoneNumber> => ({
  name: 'WhatsAppBusinessPhoneNumber',
  id: ({ id }) => id,
  shown: ['verified_name', 'code_verification_status', 'display_phone_number', 'quality_rating', 'platform_type'],
  fields: {
    verified_name: ({ verified_name }) => verified_name,
    display_phone_number: ({ display }) => display,
    code_verification_status: ({ isVerified }) => (isVerified ? 'VERIFIED' : 'NOT_VERIFIED'),
    status: ({ isBanned, isRegistered }) => (isBanned === true ? 'BANNED' : isRegistered ? registered : 'PENDING'),
    quality_rating: () => 'GREEN',
    name_status: () => 'APPROVED',
    new_name_status: () => 'NONE',
    account_mode: () => 'LIVE',
    platform_type: ({ isRegistered }) => (isRegistered ? 'CLOUD_API' : 'NOT_APPLICABLE'),
    host_platform: ({ isRegistered }) => (isRegistered ? 'CLOUD_API' : 'NOT_APPLICABLE'),
    throughput: () => ({ level: 'STANDARD' }),
    messaging_limit_tier: () => 'TIER_1K',
    country_dial_code: ({ digits }) => (digits.startsWith('1') ? '1' : digits.slice(0, 2)),
    is_official_business_account: () => false,
    is_pin_enabled: ({ pin }) => pin !== undefined,
    certificate: () => undefined,
    last_onboarded_time: () => undefined,
    webhook_configuration: () => undefined,
  },
});

/** The number a call is about; refuses callers without the right to it. */
export const makeNumberAt =
  ({ nodes }: Pick<World, 'nodes'>) =>
  (call: Call, id: string, right: 'management' | 'messaging'): PhoneNumber => {
    const number = live(nodes.get('number', id), id);
    requireAccount(call.actor, number.page_id, right);
    return number;
  };

/** Verifying and registering a number. */
function registration(world: World, customers: Customers): Methods {
  const { nodes, clock, store } = world;
  const numberAt = makeNumberAt(world);
  const done = (number: PhoneNumber, patch: Partial<PhoneNumber>) => {
    nodes.change('number', number.id, patch);
    return { success: true };
  };

  function register(call: Call, id: string): object {
    const number = numberAt(call, id, 'management');
    const { params } = call;
    if (params.text('messaging_product') !== 'whatsapp') throw missing('messaging_product');
    const pin = params.required('pin');
    params.oneOf('data_localization_region', REGIONS);
    if (!/^\d{6}$/.test(pin)) throw badParam('Param pin must be 6 digits');
    const now = clock.now();
    const tries = [...number.tries.filter((at) => at > now - 72 * HOUR), now];
    const misses = number.misses.filter((at) => at > now - HOUR);
    // What was tried counts even where it is refused.
    nodes.change('number', id, { tries });
    if (tries.length > MOST_TRIES) throw refusal(133016, 'Too many attempts to register in 72 hours. Try again later');
    if (!number.isVerified) throw refusal(133006, 'Verify the phone number before registering it');
    if (misses.length >= MOST_MISSES) throw refusal(133008, 'Too many wrong PINs. Try again later');
    if (number.pin !== undefined && number.pin !== pin) {
      nodes.change('number', id, { misses: [...misses, now] });
      throw refusal(133005, 'The PIN does not match that of the two-step verification');
    }
    return done(number, { isRegistered: true, pin, misses: [] });
  }

  return {
    'POST number/request_code': {
      params: ['code_method', 'language'],
      run(call: Call, id: string) {
        const number = numberAt(call, id, 'management');
        call.params.required('code_method');
        call.params.oneOf('code_method', ['SMS', 'VOICE']);
        if (!/^[a-z]{2}(?:_[A-Z]{2})?$/.test(call.params.required('language')))
          throw badParam('Param language must be a locale such as en_US');
        return done(number, { code: { value: customers.newCode(), until: clock.now() + CODE_LIFE } });
      },
    },
    'POST number/verify_code': {
      params: ['code'],
      run(call: Call, id: string) {
        const number = numberAt(call, id, 'management');
        const { value, until = 0 } = number.code ?? {};
        if (call.params.required('code') !== value || until <= clock.now())
          throw refusal(136025, 'The code is wrong or has expired');
        return { ...done(number, { isVerified: true, code: undefined }), id };
      },
    },
    'POST number/register': {
      params: ['messaging_product', 'pin', 'backup', 'tier', 'data_localization_region'],
      run: register,
    },
    'POST number/deregister': {
      params: ['messaging_product'],
      run: (call: Call, id: string) =>
        store.write(() => {
          const number = numberAt(call, id, 'management');
          if (!number.isRegistered) throw refusal(133010, 'The phone number is not registered');
          return done(number, { isRegistered: false });
        }),
    },
  };
}

/** What customers see of a business. */
function profiles(world: World): Methods {
  const { nodes, settings } = world;
  const numberAt = makeNumberAt(world);

  const look: Look<PhoneNumber> = {
    name: 'WhatsAppBusinessProfile',
    shown: ['messaging_product'],
    fields: {
      messaging_product: () => 'whatsapp',
      ...Object.fromEntries(
        [...Object.keys(TEXTS), 'websites', 'vertical', 'profile_picture_url'].map((name) => [
          name,
          ({ profile }: PhoneNumber) => profile[name],
        ]),
      ),
    },
  };

  function change(call: Call, id: string): object {
    const number = numberAt(call, id, 'management');
    const { params } = call;
    if (params.text('messaging_product') !== 'whatsapp') throw missing('messaging_product');
    const patch: Record<string, unknown> = {};
    for (const [name, longest] of Object.entries(TEXTS)) {
      const value = params.text(name);
      if (value === undefined) continue;
      if (value.length > longest) throw badParam(`Param ${name} must be at most ${longest} characters long`);
      if (name === 'about' && value === '') throw badParam('Param about must not be empty');
      patch[name] = value;
    }
    const websites = params.list('websites');
    if (websites !== undefined) {
      if (websites.length > 2 || !websites.every((one) => typeof one === 'string' && one.length <= 256))
        throw badParam('Param websites must be at most 2 addresses of 256 characters');
      patch['websites'] = websites;
    }
    const vertical = params.oneOf('vertical', VERTICALS);
    if (vertical !== undefined) patch['vertical'] = vertical;
    const handle = params.text('profile_picture_handle');
    if (handle !== undefined) {
      const upload = nodes.list('upload').find((one) => one.handle === handle);
      if (upload === undefined) throw badParam('Param profile_picture_handle is not a valid handle');
      patch['profile_picture_url'] = fileUrl(world, upload.blob);
    }
    nodes.change('number', id, { profile: { ...number.profile, ...patch } });
    return { success: true };
  }

  return {
    'GET number/whatsapp_business_profile': {
      params: [],
      run(call: Call, id: string) {
        const profile = draw(look, numberAt(call, id, 'management'), fieldsOf(call), call.frame);
        return { data: [settings.get('profile_wrapped') ? { business_profile: profile } : profile] };
      },
    },
    'POST number/whatsapp_business_profile': {
      params: ['messaging_product', ...Object.keys(TEXTS), 'websites', 'vertical', 'profile_picture_handle'],
      run: change,
    },
  };
}

/** The numbers of accounts, and everything that is done with one besides sending. */
export function numberMethods(world: World, customers: Customers): Methods {
  const { nodes } = world;
  const numberAt = makeNumberAt(world);
  return Object.freeze({
    'GET page/phone_numbers': {
      params: ['filtering', 'sort'],
      run(call: Call, id: string) {
        requireAccount(call.actor, pageAt(world, id).id, 'management');
        return drawList(call, numberLook('LINKED'), `${id}/phone_numbers`, nodes.list('number', { page: id }));
      },
    },
    'GET number': {
      params: [],
      run: (call: Call, id: string) => drawOne(call, numberLook('CONNECTED'), numberAt(call, id, 'management')),
    },
    ...registration(world, customers),
    ...profiles(world),
  });
}
