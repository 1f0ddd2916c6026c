import { graphErrors, type GraphRow } from '../graph/errors.ts';

const INVALID = ['refused', 'invalid_request'] as const;
const THROTTLED = ['throttled', 'rate_limit'] as const;
const UNKNOWN = ['unknown', 'api_error'] as const;
const FORBIDDEN = ['refused', 'permission_denied'] as const;
const BLOCKED = ['refused', 'blocked'] as const;
const NO_TEMPLATE = 'WhatsApp has no approved template of this name in this language.';
/** The code if the current state of a number or template does not allow the change. */
const CONFLICT = Object.freeze({ code: 'resource.conflict' as const });

const UNVERIFIED = 'The number is not verified: request a code, and verify it.';

/** Errors that occur only in operations on numbers and templates. */
const STATE_ROWS: readonly GraphRow[] = [
  [{ subcode: 2388024 }, 'refused', 'duplicate', { ...CONFLICT, message: 'The template exists in this language.' }],
  [{ subcode: 2388023 }, ...INVALID, { ...CONFLICT, message: 'A template of this name was deleted not long ago.' }],
  [{ subcode: 2207051 }, ...INVALID, { ...CONFLICT, message: 'The number is not registered.' }],
  [{ code: 133006 }, ...INVALID, { ...CONFLICT, message: UNVERIFIED }],
  [{ code: 100, status: 422 }, ...INVALID, CONFLICT],
];

/** Errors of the Cloud API, both in responses and in the status of a failed message. */
const ROWS: readonly GraphRow[] = [
  [{ code: 130429 }, ...THROTTLED, { code: 'whatsapp.throughput_exceeded' }],
  [{ code: 131056 }, ...THROTTLED, { code: 'whatsapp.pair_rate_limit' }],
  [{ code: 131049 }, ...THROTTLED, { code: 'whatsapp.frequency_cap' }],
  [{ code: [80007, 133008, 133009, 133015, 133016] }, ...THROTTLED],
  [{ code: 131047 }, 'refused', 'window_closed', { code: 'whatsapp.window_closed' }],
  [{ code: [130472, 131026] }, 'refused', 'not_deliverable', { code: 'whatsapp.undeliverable' }],
  [{ code: 131050 }, ...BLOCKED, { code: 'whatsapp.user_opted_out' }],
  [{ code: 132001 }, 'refused', 'not_found', { code: 'whatsapp.template_not_found', message: NO_TEMPLATE }],
  [{ code: 132015 }, ...BLOCKED, { code: 'whatsapp.template_paused' }],
  [
    { code: 132016 },
    ...BLOCKED,
    { code: 'whatsapp.template_paused', message: 'WhatsApp has disabled this template for good.' },
  ],
  [{ code: 0 }, 'refused', 'auth'],
  [{ code: 136024 }, ...INVALID, 'WhatsApp sends this number no code: it is verified, or was sent too many.'],
  [{ code: 136025 }, ...INVALID, 'The code is wrong or too old.'],
  [{ code: [368, 131031] }, ...BLOCKED, 'WhatsApp has locked the business account, because it breaks its rules.'],
  [{ code: 131048 }, ...BLOCKED, 'WhatsApp limits this number because people blocked or reported its messages.'],
  [{ code: 131005 }, ...FORBIDDEN],
  [{ code: 131042 }, ...FORBIDDEN, 'WhatsApp requires a valid payment method for the business account.'],
  [{ code: 133006 }, ...FORBIDDEN, UNVERIFIED],
  [{ code: 133010 }, ...FORBIDDEN, 'The number is not registered: request a code, verify it, and register.'],
  [{ code: 133005 }, ...INVALID, 'The PIN is wrong.'],
  [{ code: 131021 }, ...INVALID, 'A number cannot write to itself.'],
  [{ code: 131030 }, ...INVALID, 'The test number may only write to numbers on its list.'],
  [{ code: 131052 }, ...INVALID, 'WhatsApp could not fetch the file of the person.'],
  [{ code: 131053 }, ...INVALID, 'WhatsApp cannot use this file; try another one.'],
  [{ code: 131062 }, ...INVALID, 'This message needs the phone number of the person, which WhatsApp does not show.'],
  [{ code: 130497 }, ...BLOCKED, 'WhatsApp does not let this business account write to people of that country.'],
  [{ code: 131037 }, ...FORBIDDEN, 'WhatsApp has not approved the display name of this number yet.'],
  [{ code: 131045 }, ...FORBIDDEN, 'The registration of this number is not complete: register it again.'],
  [{ code: 131055 }, ...FORBIDDEN, 'WhatsApp does not allow this kind of message to this number.'],
  [{ code: 134011 }, ...FORBIDDEN, 'WhatsApp wants the terms of payments to be accepted for the business account.'],
  [{ code: 132018 }, ...INVALID, 'WhatsApp does not accept these values of the template.'],
  [{ code: [131008, 131009, 131051, 132000, 132005, 132007, 132012, 132068, 132069, 133000, 135000] }, ...INVALID],
  [{ code: [131000, 131016, 133004] }, ...UNKNOWN],
];

const UNLISTED: GraphRow = [({ code }) => code !== undefined, ...UNKNOWN, { code: 'whatsapp.unknown', unlisted: true }];

export const { table, errorOf, failureOf } = graphErrors(ROWS, UNLISTED);

/** The errors of operations that change the state of a number or template. */
export const stateErrors = graphErrors([...STATE_ROWS, ...ROWS], UNLISTED);
