import { errorTable, waitOf, wordOf } from '../shared/errors.ts';
import { tokenErrorsBy } from '../shared/oauth.ts';
import { type Answer, errorsBy } from '../shared/rest.ts';

/** How long (seconds) to wait if Pinterest does not say. */
const MINUTE_S = 60;

/** The status gives the kind of error; the number in the body is more specific. */
export const table = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [({ status }) => status >= 500, 'unknown', 'api_error'],
  [
    { status: 401, name: '3' },
    'refused',
    'permission_denied',
    'The login lacks a permission that this needs: connect the account again, and grant all of them.',
  ],
  [{ status: 401, name: '7' }, 'refused', 'permission_denied'],
  [{ status: 401 }, 'refused', 'auth', { expired: true }],
  [
    { status: 403, text: /trial/i },
    'refused',
    'permission_denied',
    'The app has Trial access, which can create pins only in the API sandbox: ask Pinterest for Standard access, or set PINTEREST_API_ROOT.',
  ],
  [{ status: 403 }, 'refused', 'permission_denied'],
  [{ status: 404, name: '40' }, 'refused', 'not_found', 'There is no such board; get_constraints lists them.'],
  [{ status: 404 }, 'refused', 'not_found'],
  [{ status: 400 }, 'refused', 'invalid_request'],
]);

const tokenTable = errorTable([
  ...table.rows.slice(0, 2),
  [{ text: /client|secret|app id/i }, 'refused', 'permission_denied'],
  [{ status: [400, 401, 403] }, 'refused', 'auth'],
]);

function failedOf({ status, headers, body }: Answer, now: number) {
  if (status >= 200 && status <= 299) return undefined;
  const { code, message } = (body ?? {}) as Readonly<{ code?: unknown; message?: unknown }>;
  const name = typeof code === 'number' ? String(code) : '';
  return { status, name, text: wordOf(message, 300), wait: waitOf(headers, now) ?? MINUTE_S };
}

export const errorOf = errorsBy(table, failedOf);
export const tokenErrorOf = tokenErrorsBy({ slug: 'pinterest', title: 'Pinterest' }, tokenTable, failedOf);
