import { errorTable, waitOf, wordOf } from '../shared/errors.ts';
import { tokenErrorsBy } from '../shared/oauth.ts';
import { type Answer, errorsBy } from '../shared/rest.ts';

/** How long (seconds) to wait if Zalo does not say; it limits calls per minute. */
const MINUTE_S = 60;
const FORBIDDEN = ['refused', 'permission_denied'] as const;
const NOT_DELIVERABLE = ['refused', 'not_deliverable'] as const;
const EXPIRED = 'The upload has expired: Zalo keeps files for 7 days.';

/** Errors by the number in the body, because Zalo sends them with HTTP 200. */
export const table = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [{ name: ['-216', '-220', '-124'] }, 'refused', 'auth', { expired: true }],
  [{ name: '-32' }, 'throttled', 'rate_limit'],
  [{ name: '-240' }, 'refused', 'version_ended'],
  [{ name: '-214' }, 'throttled', 'rate_limit', 'Zalo is still working on the article.'],
  [{ name: '-100' }, 'refused', 'invalid_request', { message: EXPIRED, spent: true }],
  [{ name: ['-201', '-210', '-233'] }, 'refused', 'invalid_request'],
  [{ name: '-211' }, 'refused', 'publish_limit', "The account's quota of messages is used up."],
  [{ name: '-223', text: /quota/i }, 'refused', 'publish_limit', 'The account may publish no more articles for now.'],
  [{ name: ['-217', '-218'] }, ...NOT_DELIVERABLE, 'This person does not accept messages from the account.'],
  [{ name: '-213' }, ...NOT_DELIVERABLE, 'This person neither follows the account nor has written to it.'],
  [{ name: ['-230', '-232'] }, ...NOT_DELIVERABLE, 'Zalo delivers messages for 7 days after the person has written.'],
  [{ name: ['-222', '-227'] }, ...NOT_DELIVERABLE, 'Zalo has closed the account of this person, or they left it.'],
  [{ name: '-234' }, ...NOT_DELIVERABLE, 'Zalo delivers messages of this kind between 6:00 and 22:00 in Vietnam.'],
  [{ name: '-244' }, ...NOT_DELIVERABLE, 'This person does not accept this kind of message from the account.'],
  [{ name: '-221' }, ...FORBIDDEN, 'Zalo requires a verified official account for this.'],
  [{ name: '-224' }, ...FORBIDDEN, 'Zalo requires a larger package of the official account for this.'],
  [{ name: '-209' }, ...FORBIDDEN, 'The app is switched off: activate it at developers.zalo.me.'],
  [{ name: '-212' }, ...FORBIDDEN, 'The app is not registered for the Official Account API.'],
  [{ name: '-219' }, ...FORBIDDEN, 'The app was removed, or is switched off.'],
  [{ name: '-320' }, ...FORBIDDEN, 'Zalo requires the app to be linked to a Zalo Cloud account for this.'],
  [{ name: '-321' }, ...FORBIDDEN, 'The Zalo Cloud account of the app cannot pay.'],
  // These codes only mean that something failed.
  [{ name: ['-1', '-200'] }, 'unknown', 'api_error'],
  [{ name: ['-204', '-205', '-207', '-208', '-223', '-235', '-242', '-248'] }, ...FORBIDDEN],
  // Refusals also come with status 200.
  [{ status: 200, name: /./ }, 'unknown', 'api_error', { unlisted: true }],
]);

const CALLBACK = 'Register this callback address, exactly as it is, with the app.';
const UNREGISTERED = ['refused', 'invalid_request', CALLBACK] as const;

/** Errors of the token endpoint, which may have a name in place of a number. */
const tokenTable = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [{ name: '-32' }, 'throttled', 'rate_limit'],
  [{ name: '-14014' }, 'refused', 'auth'],
  [{ name: '-14002' }, ...FORBIDDEN],
  [{ name: '-14003' }, ...UNREGISTERED],
  [{ text: /redirect.?ur[il]/i }, ...UNREGISTERED],
  [{ text: /secret|app.?id/i }, ...FORBIDDEN],
  [{ text: /refresh.?token|code/i }, 'refused', 'auth'],
]);

type Refusal = Readonly<{ error?: unknown; message?: unknown; error_name?: unknown; error_description?: unknown }>;

/** Reads the error of a response; undefined for a success or a body in another form. */
function failedOf({ status, headers, body }: Answer, now: number) {
  const { error = 0, message, error_name: name, error_description: description } = (body ?? {}) as Refusal;
  const code = Number(error);
  if (code === 0 && wordOf(name, 1) === '' && status >= 200 && status <= 299) return undefined;
  return {
    status,
    name: code === 0 || Number.isNaN(code) ? '' : String(code),
    text: wordOf([message, name, description].filter(Boolean).join(': '), 300),
    wait: waitOf(headers, now) ?? MINUTE_S,
  };
}

export const errorOf = errorsBy(table, failedOf);
export const tokenErrorOf = tokenErrorsBy({ slug: 'zalo', title: 'Zalo' }, tokenTable, failedOf);
