import { randomBytes } from 'node:crypto';
import { ApiError, fail } from '../../kernel/errors.ts';

/** How long a password may be; the upper bound keeps what strangers let us hash small. */
export const PASSWORD_LENGTH: Readonly<{ min: number; max: number }> = Object.freeze({ min: 10, max: 256 });

/** Hashing takes memory and a thread each, and anybody may ask for it (rulings 5.9). */
const AT_ONCE = 2;
const WAITING = 8;
const BUSY_SECONDS = 2;

const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** What nobody's password matches, at the cost of any other: whether a user exists shows in no answer's time. */
const NOBODY = `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`;

/** Why people may not set a password. */
export function passwordRefusal(password: string): ApiError | undefined {
  const { min, max } = PASSWORD_LENGTH;
  const { length } = textOf(password);
  if (length >= min && length <= max) return undefined;
  const message = `The password must have ${min} to ${max} characters.`;
  return new ApiError('validation.field_invalid', { message, meta: { field: 'password' } });
}

/** Keyboards compose letters differently; the same password is the same text on all of them. */
function textOf(password: string): string {
  return password.normalize('NFC');
}

/** Passwords as argon2id hashes, a few at a time. */
export function makePasswords() {
  const queue: (() => void)[] = [];
  let running = 0;

  async function turn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (queue.length >= WAITING) fail('http.429', { retryAfter: BUSY_SECONDS });
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // A turn is handed on, so that nobody who comes meanwhile overtakes those who wait.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return Object.freeze({
    hash: (password: string) =>
      turn(async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(textOf(password));
      }),

    /** Whether a password is the one of a hash; of a user without one or of nobody it never is, which takes as long. */
    matches: (password: string, hashed: string | undefined) =>
      turn(async () => {
        const { verify } = await import('@node-rs/argon2');
        return (await verify(hashed ?? NOBODY, textOf(password))) && hashed !== undefined;
      }),
  });
}

export type Passwords = ReturnType<typeof makePasswords>;
