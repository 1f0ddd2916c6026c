import * as z from 'zod';
import type { UnauthenticatedCall } from '../call.ts';
import { SENDING_MESSAGES } from '../app/capabilities.ts';
import type { PlatformError } from '../errors.ts';
import type { ConnectMetadata, Connected, DirectConnect, OAuthConnect } from '../connect.ts';
import { Id, listOf, readAll, versioned } from '../graph/api.ts';
import { exchangeErrors } from '../graph/login.ts';
import { isRefused, refused, unfit, unlessRefused } from '../shared/errors.ts';
import { LAST_TIME, text, word } from '../shared/fields.ts';
import { codeFlow } from '../shared/oauth.ts';
import { path } from '../shared/rest.ts';
import { declareScopes } from '../shared/scopes.ts';
import { graph } from './api.ts';
import { errorOf } from './errors.ts';
import { CONFIG } from './settings.ts';
import type { WhatsappSession } from './session.ts';

const SCOPES = declareScopes({
  setting: 'WHATSAPP_SCOPES',
  title: 'WhatsApp',
  config: CONFIG,
  losses: {
    whatsapp_business_management: 'Numbers and templates cannot be read or changed.',
    whatsapp_business_messaging: 'Messages cannot be sent.',
  },
  needs: [
    [['phone numbers', 'message templates'], 'whatsapp_business_management'],
    [SENDING_MESSAGES, 'whatsapp_business_messaging'],
  ],
});
/** Matches permissions for business accounts; a sign-up may grant others than were requested. */
const OF_ACCOUNTS = /^whatsapp_business_/;

const FLOW = Object.freeze({ slug: 'whatsapp', title: 'WhatsApp' });
const ID = /^\d{5,25}$/;
const PER_READ = 100;
const MOST_READ = 500;
const FIELDS = 'id,display_phone_number,verified_name,status,quality_rating,code_verification_status';
/** States of numbers that have left the business account. */
const GONE: ReadonlySet<string> = new Set(['DELETED', 'MIGRATED', 'UNLINKED']);

const Inspected = z.object({
  data: z.object({
    app_id: Id.optional(),
    user_id: Id.optional(),
    // Seconds; a later time than dates can have counts as none.
    expires_at: z
      .number()
      .max(LAST_TIME / 1000)
      .catch(0),
    scopes: z.array(z.string()).optional().catch(undefined),
    granular_scopes: z.array(z.object({ scope: z.string(), target_ids: z.array(Id).catch([]) })).catch([]),
  }),
});
type Login = Readonly<{ token: string }> & z.output<typeof Inspected>['data'];

const PhoneNumber = z.object({
  id: Id,
  display_phone_number: word,
  verified_name: word,
  status: text,
  quality_rating: text,
  code_verification_status: text,
});
type PhoneNumber = z.output<typeof PhoneNumber>;
const PhoneNumbers = listOf(PhoneNumber);
const Shared = z.object({ id: Id });
const Assigned = listOf(Shared);

/** Any token that fits into a header and a URL; Meta's tokens have a few hundred characters. */
const TOKEN = /^[!-~]{1,2048}$/;

const NO_LOGIN = Object.freeze({ expires_at: 0, granular_scopes: [] });

/** Connects a number with the token of a system user, which does not expire. */
const byKey = Object.freeze<DirectConnect>({
  kind: 'direct',
  form: [
    {
      name: 'phone_number_id',
      label: 'Phone number ID',
      hint: 'In the app dashboard of Meta: WhatsApp, API Setup, below the number.',
      type: 'text',
      required: true,
    },
    {
      name: 'waba_id',
      label: 'WhatsApp Business Account ID',
      hint: 'On the same page. Found by the token if you leave it out.',
      type: 'text',
      required: false,
    },
    {
      name: 'access_token',
      label: 'Access token of a system user',
      hint: 'In the business settings of Meta: System users, Generate token, with both WhatsApp permissions.',
      type: 'password',
      required: true,
    },
  ],
  required: ['access_token', 'phone_number_id'],
  async login(call, { access_token: token = '', phone_number_id = '', waba_id }) {
    if (!TOKEN.test(token)) throw unfit('The access token is not one of Meta: copy it whole, without line breaks.');
    const request = { phone_number_id, ...(waba_id && { waba_id }) };
    // Some tokens may not inspect themselves; the caller must then name the business account.
    const login = await unlessRefused(inspect(call, token, token));
    const [found] = await accountsOf(call, login ?? { ...NO_LOGIN, token }, request);
    return found;
  },
});

/** Connects by embedded sign-up or with a token; each phone number becomes an account. */
export const connect = Object.freeze<OAuthConnect>({
  ...codeFlow({
    ...FLOW,
    authorize: { host: 'web', path: versioned('/dialog/oauth') },
    token: { host: 'graph', path: versioned('/oauth/access_token') },
    scopes: SCOPES,
    separator: ',',
    send: 'query',
    fields: (standard) => ({ ...standard, grant_type: undefined }),
    errorOf: exchangeErrors(FLOW, errorOf),
    async profiles(call, { access: token }, { client, metadata }) {
      const { clientId, clientSecret } = client;
      return accountsOf(call, await inspect(call, token, `${clientId}|${clientSecret}`), metadata);
    },
  }),
  metadata: { phone_number_id: ID, waba_id: ID },
  byKey,
});

/** Reads the permissions and the owner of a token. */
async function inspect(call: UnauthenticatedCall, input_token: string, token: string): Promise<Login> {
  const { data } = await graph(call, { method: 'GET', path: '/debug_token', query: { input_token }, token }, Inspected);
  return { ...data, token: input_token };
}

/** The accounts for all numbers of a login, or for the requested number; throws if there is none. */
async function accountsOf(
  call: UnauthenticatedCall,
  login: Login,
  request: ConnectMetadata,
): Promise<readonly [Connected, ...Connected[]]> {
  const { waba_id: waba, phone_number_id: wanted } = request;
  const wabas = waba === undefined ? await sharedWith(call, login) : [waba];
  const found: Connected[] = [];
  let refusal: PlatformError | undefined;
  for (const waba_id of wabas) {
    const numbers = await numbersOf(call, waba_id, login.token).catch((error: unknown) => {
      // If the login may not read one business account, the others are still read.
      if (!isRefused(error, 'permission_denied', 'not_found')) throw error;
      refusal = error;
      return [];
    });
    const usable = numbers.filter(({ id, status }) => (wanted ?? id) === id && !GONE.has(status ?? ''));
    found.push(...usable.map((number) => accountFor(call, number, waba_id, login)));
  }
  const [first, ...others] = found;
  if (first !== undefined) return [first, ...others];
  if (refusal !== undefined) throw refusal;
  const which = wanted === undefined ? 'number' : `number ${wanted}`;
  throw refused('not_found', `The login shares no WhatsApp ${which}: look into its WhatsApp Business Account.`);
}

/** The business accounts of a login; they are listed if its permission applies to all and so names none. */
async function sharedWith(call: UnauthenticatedCall, login: Login): Promise<ReadonlySet<string>> {
  const { granular_scopes, user_id: user, token } = login;
  const targets = granular_scopes.filter(({ scope }) => OF_ACCOUNTS.test(scope));
  const named = new Set(targets.flatMap(({ target_ids }) => target_ids));
  if (named.size > 0 || targets.length === 0 || user === undefined) return named;
  const where = path`/${{ user }}/assigned_whatsapp_business_accounts`;
  const assigned = readAll<typeof Shared>((after) => {
    const query = { fields: 'id', limit: PER_READ, after };
    return graph(call, { method: 'GET', ...where, query, token }, Assigned);
  }, MOST_READ);
  return new Set((await unlessRefused(assigned))?.map(({ id }) => id));
}

function numbersOf(call: UnauthenticatedCall, waba: string, token: string): Promise<readonly PhoneNumber[]> {
  return readAll<typeof PhoneNumber>((after) => {
    const query = { fields: FIELDS, limit: PER_READ, after };
    return graph(call, { method: 'GET', ...path`/${{ waba }}/phone_numbers`, query, token }, PhoneNumbers);
  }, MOST_READ);
}

function accountFor(
  { hosts, settings }: UnauthenticatedCall,
  number: PhoneNumber,
  waba_id: string,
  login: Login,
): Connected {
  const {
    id,
    display_phone_number: displayNumber,
    verified_name,
    status,
    quality_rating,
    code_verification_status,
  } = number;
  const session = { token: login.token, phone_number_id: id, waba_id, app_id: login.app_id } satisfies WhatsappSession;
  return {
    profile: {
      platform_user_id: id,
      username: displayNumber || id,
      name: verified_name || displayNumber || id,
      profile_url: hosts['chat'] && `${hosts['chat']}/${displayNumber.replaceAll(/\D/g, '')}`,
      metadata: {
        phone_number_id: id,
        waba_id,
        // When a person revokes access, Meta sends this id.
        login_id: login.user_id ?? null,
        ...SCOPES.reported(settings, login.scopes),
        login_expires_at: login.expires_at > 0 ? new Date(login.expires_at * 1000).toISOString() : null,
        number_status: status,
        quality_rating,
        code_verification_status,
      },
    },
    session,
    // No expiry is set, as nothing can be refreshed. All numbers of a business account share its subscription.
    grant: `whatsapp:${login.app_id ?? ''}:${waba_id}`,
  };
}
