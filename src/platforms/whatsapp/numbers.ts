import * as z from 'zod';
import type { NumberProfile, Numbers } from '../business.ts';
import type { AccountCall } from '../call.ts';
import { Changed } from '../graph/api.ts';
import { isGraph } from '../graph/errors.ts';
import { isRefused, refused, unclear } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import { asAccount, changeState } from './api.ts';

const STATUS = Object.freeze({ fields: 'code_verification_status,status,platform_type' });
const PROFILE = Object.freeze({
  fields: 'about,address,description,email,profile_picture_url,websites,vertical,messaging_product',
});
/** States of numbers that can send and receive, even with restrictions. */
const REGISTERED: ReadonlySet<string> = new Set(['CONNECTED', 'FLAGGED', 'LINKED', 'RATE_LIMITED', 'RESTRICTED']);

const Status = z.object({ code_verification_status: text, status: text, platform_type: text });
const Profile = z.object({
  about: text,
  address: text,
  description: text,
  email: text,
  profile_picture_url: text,
  vertical: text,
  websites: z.array(z.string()).optional().catch(undefined),
});
/** The response with a profile, which WhatsApp sends in two forms. */
const Profiles = z.object({
  data: z.array(z.union([z.object({ business_profile: Profile }).transform((one) => one.business_profile), Profile])),
});

/** Requests that change whether a number may send. */
const STATES: ReadonlySet<string> = new Set(['register', 'deregister']);

type Restate = (error: unknown) => unknown;

async function change(call: AccountCall, edge: string, json: object, restate: Restate = (error) => error) {
  try {
    const request = STATES.has(edge) ? changeState : asAccount;
    await request(call, { method: 'POST', path: `/{number}/${edge}`, json }, Changed);
  } catch (error) {
    throw restate(error);
  }
}

/** Operations on a number, which is verified by a code and registered with a PIN, and its profile. */
export const numbers = Object.freeze<Numbers>({
  requestCode: (call, { method, language }) => change(call, 'request_code', { code_method: method, language }),

  /** If this request is refused as invalid, the code is the reason. */
  verifyCode: (call, code) =>
    change(call, 'verify_code', { code }, (error) =>
      isRefused(error, 'invalid_request') ? refused('invalid_request', 'The code is wrong or too old.', error) : error,
    ),

  register: (call, pin) => change(call, 'register', { messaging_product: 'whatsapp', pin }),

  deregister: (call) =>
    change(call, 'deregister', {}, (error) =>
      isGraph(error, 133010)
        ? refused('invalid_request', 'The number is not registered.', error, 'resource.conflict')
        : error,
    ),

  async status(call) {
    const request = { method: 'GET', path: '/{number}', query: STATUS } as const;
    const { code_verification_status, status = '', platform_type } = await asAccount(call, request, Status);
    return {
      verified: code_verification_status === 'VERIFIED',
      registered: REGISTERED.has(status) && platform_type !== 'NOT_APPLICABLE',
    };
  },

  async profile(call): Promise<NumberProfile> {
    const request = { method: 'GET', path: '/{number}/whatsapp_business_profile', query: PROFILE } as const;
    const { data } = await asAccount(call, request, Profiles);
    const [profile] = data;
    if (profile === undefined) throw unclear('WhatsApp shows no profile of this number.');
    return profile;
  },

  setProfile: (call, given) => change(call, 'whatsapp_business_profile', { messaging_product: 'whatsapp', ...given }),
});
