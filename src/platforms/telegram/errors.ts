import { PLATFORM_REASONS } from '#kernel/errors.ts';
import { PlatformError } from '../errors.ts';
import { boundedWait, errorTable, isInconclusive, wordOf } from '../shared/errors.ts';
import type { Answer } from '../shared/rest.ts';

const CANNOT_MESSAGE = { code: 'telegram.cannot_message' } as const;

const OLD = 'A bot deletes messages of the last 48 hours, and others only with the right to delete messages.';

const METHODLESS =
  'The Bot API server does not have this method: Telegram has ended it, or a server of your own is too old.';

/** Errors of the Bot API; their numbers are too general, so the texts decide. */
export const table = errorTable([
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ status: 401 }, 'refused', 'auth'],
  [{ status: 404, text: /method not found/i }, 'refused', 'version_ended', METHODLESS],
  // For a method that exists, Telegram returns 404 only if the token is unknown.
  [{ status: 404 }, 'refused', 'auth'],
  [
    { status: 403, text: /blocked by the user|can't initiate|user is deactivated|messages to bots/i },
    'refused',
    'blocked',
    CANNOT_MESSAGE,
  ],
  [{ status: 403 }, 'refused', 'permission_denied'],
  [{ status: 409 }, 'refused', 'duplicate', 'Another program receives the updates of this bot.'],
  [{ status: 413 }, 'refused', 'invalid_request', 'Telegram accepts files of at most 50 MB.'],
  [{ status: 400, text: /not found|MESSAGE_ID_INVALID/i }, 'refused', 'not_found'],
  [{ status: 400, text: /can't be deleted/i }, 'refused', 'permission_denied', OLD],
  [{ status: 400, text: /not enough rights|need administrator/i }, 'refused', 'permission_denied'],
  [{ status: 400, text: /can't parse entities/i }, 'refused', 'invalid_request', 'Telegram cannot read the markup.'],
  [{ status: 400 }, 'refused', 'invalid_request'],
]);

/** A group has become a supergroup with a new id, so the request had no effect. */
export class Migrated extends PlatformError {
  override name = 'Migrated';
  readonly to: string;

  constructor(to: string) {
    super('refused', 'not_found', PLATFORM_REASONS.not_found[1], { upstream: 'migrated' });
    this.to = to;
  }
}

type Refusal = Readonly<{
  ok?: unknown;
  description?: unknown;
  error_code?: unknown;
  parameters?: Readonly<{ retry_after?: unknown; migrate_to_chat_id?: unknown }>;
}>;

/** Reads the error of a response, whose body repeats the HTTP status as `error_code`. */
export function errorOf({ status, body }: Answer): PlatformError | undefined {
  const { ok, description, error_code: code, parameters } = (body ?? {}) as Refusal;
  if (ok === true && status >= 200 && status <= 299) return undefined;
  const { retry_after: wait, migrate_to_chat_id: migrated } = parameters ?? {};
  if (status === 400 && typeof migrated === 'number') return new Migrated(String(migrated));
  return table.errorOf({
    status,
    name: typeof code === 'number' ? String(code) : '',
    text: wordOf(description, 300),
    wait: boundedWait(Number(wait ?? Number.NaN)),
  });
}
