/** Phone numbers: verification, registration and profile. */
import { HOUR } from '#kernel/clock.ts';
import { badParam } from '../../graph/api/errors.ts';
import { always, draw, own, type NodeType } from '../../graph/api/render.ts';
import { drawList, drawOne, fieldsOf, fileUrl, type Call, type Method, type Methods } from '../../graph/world.ts';
import { digits, fixedId } from '../../kit/ids.ts';
import { ABOUT } from '../about.ts';
import type { PhoneNumber } from '../docs.ts';
import { missing, refusal } from '../errors.ts';
import { methodsOf, type World } from '../world.ts';

const CODE_LIFE = 10 * 60_000;
const MOST_TRIES = 10;
const MOST_MISSES = 5;
const REGIONS = ['AE', 'AU', 'BH', 'BR', 'CA', 'CH', 'DE', 'GB', 'ID', 'IN', 'JP', 'KR', 'SG', 'ZA'] as const;
const VERTICALS =
  'OTHER AUTO BEAUTY APPAREL EDU ENTERTAIN EVENT_PLAN FINANCE GROCERY GOVT HOTEL HEALTH NONPROFIT PROF_SERVICES RETAIL TRAVEL RESTAURANT ALCOHOL ONLINE_GAMBLING PHYSICAL_GAMBLING OTC_DRUGS'.split(
    ' ',
  );
/** The text fields of a profile, with their length limits. */
const TEXTS: Readonly<Record<string, number>> = { about: 139, address: 256, description: 512, email: 128 };
const PROFILE = [...Object.keys(TEXTS), 'websites', 'vertical'];

/** The numbers of a new simulator: account, digits, display form, and whether they are ready to send. */
const RESIDENTS = Object.freeze([
  ['Wells Bakery', '12025550110', '+1 202-555-0110', true],
  ['Otto Outdoor', '12025550120', '+1 202-555-0120', true],
  ['Otto Outdoor', '12025550121', '+1 202-555-0121', true],
  ['Otto Rentals', '447700900122', '+44 7700 900122', false],
] as const);

export function restoreNumbers({ nodes, clock, people }: Pick<World, 'nodes' | 'clock' | 'people'>): void {
  for (const [verified_name, number, display, isReady] of RESIDENTS)
    nodes.put('number', {
      id: fixedId(ABOUT.slug, 'number', number),
      at: clock.now(),
      page_id: people.findPage(verified_name)?.id ?? '',
      digits: number,
      display,
      verified_name,
      isVerified: isReady,
      isRegistered: isReady,
      tries: [],
      misses: [],
      profile: {},
    });
}

/** A phone number. Lists have another word for one that is registered. */
const numberLook = ({ settings }: World, registered: 'CONNECTED' | 'LINKED'): NodeType<PhoneNumber> => ({
  name: 'WhatsAppBusinessPhoneNumber',
  id: ({ id }) => id,
  defaultFields: [
    'verified_name',
    'code_verification_status',
    'display_phone_number',
    'quality_rating',
    'platform_type',
  ],
  fields: {
    ...own('verified_name'),
    ...always({ quality_rating: 'GREEN', name_status: 'APPROVED', new_name_status: 'NONE', account_mode: 'LIVE' }),
    ...always({ throughput: { level: 'STANDARD' }, certificate: undefined }),
    // The limit belongs to the portfolio, so a number has none of its own.
    ...always({ messaging_limit_tier: undefined }),
    whatsapp_business_manager_messaging_limit: () => settings.get('messaging_limit'),
    ...always({
      is_official_business_account: false,
      last_onboarded_time: undefined,
      webhook_configuration: undefined,
    }),
    display_phone_number: ({ display }) => display,
    code_verification_status: ({ isVerified }) => (isVerified ? 'VERIFIED' : 'NOT_VERIFIED'),
    status({ isBanned, isRegistered }) {
      if (isBanned === true) return 'BANNED';
      return isRegistered ? registered : 'PENDING';
    },
    platform_type: ({ isRegistered }) => (isRegistered ? 'CLOUD_API' : 'NOT_APPLICABLE'),
    host_platform: ({ isRegistered }) => (isRegistered ? 'CLOUD_API' : 'NOT_APPLICABLE'),
    country_dial_code: ({ digits: number }) => (number.startsWith('1') ? '1' : number.slice(0, 2)),
    is_pin_enabled: ({ pin }) => pin !== undefined,
  },
});

const profileLook: NodeType<PhoneNumber> = {
  name: 'WhatsAppBusinessProfile',
  defaultFields: ['messaging_product'],
  fields: {
    ...always({ messaging_product: 'whatsapp' }),
    ...Object.fromEntries(
      [...PROFILE, 'profile_picture_url'].map((name) => [name, ({ profile }: PhoneNumber) => profile[name]]),
    ),
  },
};

export function requireProduct({ params }: Call): void {
  if (params.text('messaging_product') !== 'whatsapp') throw missing('messaging_product');
}

/** A change to a number by somebody who manages it; `run` returns the fields to change. */
const makeChange =
  (world: World) =>
  (params: readonly string[], run: (call: Call, number: PhoneNumber) => Partial<PhoneNumber>): Method =>
    methodsOf(world).writes('number', 'management', params, (call, number) => {
      world.nodes.change('number', number.id, run(call, number));
      return { success: true };
    });

function registration(world: World): Methods {
  const { nodes, clock } = world;
  const change = makeChange(world);
  const verify = change(['code'], ({ params }, { code }) => {
    if (params.required('code') !== code?.value || code.until <= clock.now())
      throw refusal(136025, 'The code is wrong or has expired');
    return { isVerified: true, code: undefined };
  });

  function register(call: Call, { id, pin: known, isVerified, ...number }: PhoneNumber) {
    requireProduct(call);
    const pin = call.params.required('pin');
    call.params.oneOf('data_localization_region', REGIONS);
    if (!/^\d{6}$/.test(pin)) throw badParam('Param pin must be 6 digits');
    const now = clock.now();
    const tries = [...number.tries.filter((at) => at > now - 72 * HOUR), now];
    const misses = number.misses.filter((at) => at > now - HOUR);
    // Failed attempts count too.
    nodes.change('number', id, { tries });
    if (tries.length > MOST_TRIES) throw refusal(133016, 'Too many attempts to register in 72 hours. Try again later');
    if (!isVerified) throw refusal(133006, 'Verify the phone number before registering it');
    if (misses.length >= MOST_MISSES) throw refusal(133008, 'Too many wrong PINs. Try again later');
    if (known !== undefined && known !== pin) {
      nodes.change('number', id, { misses: [...misses, now] });
      throw refusal(133005, 'The PIN does not match that of the two-step verification');
    }
    return { isRegistered: true, pin, misses: [] };
  }

  return {
    'POST number/request_code': change(['code_method', 'language'], ({ params }) => {
      params.required('code_method');
      params.oneOf('code_method', ['SMS', 'VOICE']);
      if (!/^[a-z]{2}(?:_[A-Z]{2})?$/.test(params.required('language')))
        throw badParam('Param language must be a locale such as en_US');
      return { code: { value: digits(6), until: clock.now() + CODE_LIFE } };
    }),
    'POST number/verify_code': { ...verify, run: (call, id) => ({ ...(verify.run(call, id) as object), id }) },
    'POST number/register': change(
      ['messaging_product', 'pin', 'backup', 'tier', 'data_localization_region'],
      register,
    ),
    'POST number/deregister': change(['messaging_product'], (_, { isRegistered }) => {
      if (!isRegistered) throw refusal(133010, 'The phone number is not registered');
      return { isRegistered: false };
    }),
  };
}

function profileIn(world: World, call: Call, blobOf: (handle: string) => string | undefined): PhoneNumber['profile'] {
  const { params } = call;
  requireProduct(call);
  const texts = Object.entries(TEXTS).map(([name, longest]) => [name, params.text(name), longest] as const);
  for (const [name, value = '', longest] of texts)
    if (value.length > longest) throw badParam(`Param ${name} must be at most ${longest} characters long`);
  if (params.text('about') === '') throw badParam('Param about must not be empty');
  const websites = params.list('websites') ?? [];
  if (websites.length > 2 || !websites.every((one) => typeof one === 'string' && one.length <= 256))
    throw badParam('Param websites must be at most 2 addresses of 256 characters');
  const handle = params.text('profile_picture_handle');
  const blob = handle === undefined ? undefined : blobOf(handle);
  if (handle !== undefined && blob === undefined) throw badParam('Param profile_picture_handle is not a valid handle');
  const given = {
    ...Object.fromEntries(texts),
    websites: params.list('websites'),
    vertical: params.oneOf('vertical', VERTICALS),
    profile_picture_url: blob === undefined ? undefined : fileUrl(world, blob),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** All methods for numbers except sending; `blobOf` finds an uploaded picture by its handle. */
export function numberMethods(world: World, blobOf: (handle: string) => string | undefined): Methods {
  const { nodes, settings } = world;
  const { reads, readsOf } = methodsOf(world);
  return Object.freeze({
    ...registration(world),
    'GET page/phone_numbers': readsOf('management', ['filtering', 'sort'], (call, id) =>
      drawList(call, numberLook(world, 'LINKED'), `${id}/phone_numbers`, nodes.list('number', { page: id })),
    ),
    'GET number': reads('number', 'management', [], (call, number) =>
      drawOne(call, numberLook(world, 'CONNECTED'), number),
    ),
    'GET number/whatsapp_business_profile': reads('number', 'management', [], (call, number) => {
      const profile = draw(profileLook, number, fieldsOf(call), call.frame);
      return { data: [settings.get('profile_wrapped') ? { business_profile: profile } : profile] };
    }),
    'POST number/whatsapp_business_profile': makeChange(world)(
      ['messaging_product', ...PROFILE, 'profile_picture_handle'],
      (call, { profile }) => ({ profile: { ...profile, ...profileIn(world, call, blobOf) } }),
    ),
  });
}
