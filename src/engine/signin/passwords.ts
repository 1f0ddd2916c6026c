import { randomBytes } from 'node:crypto';
import { ApiError } from '#kernel/errors.ts';
import { makeTurns, type Standing, type TurnLimits } from '#kernel/limits/turns.ts';

/** The upper bound limits how much unauthenticated callers can make the server hash. */
export const PASSWORD_LENGTH: Readonly<{ min: number; max: number }> = Object.freeze({ min: 10, max: 256 });

/** Anyone can cause hashing, which takes memory and a thread; waiting in the queue costs little. */
const HASHING: TurnLimits = Object.freeze({ atOnce: 2, waitingEach: 8, waiting: 1000, retryAfter: 2 });

/** The standing of somebody with a session, a link or access to the operator's commands. */
const TRUSTED: Standing = Object.freeze({ from: '', failures: 0 });

const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** A hash that no password matches. It takes the usual time, so that response times do not reveal who has a user. */
const NOBODY = `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`;

export function passwordRefusal(password: string): ApiError | undefined {
  const { min, max } = PASSWORD_LENGTH;
  const { length } = textOf(password);
  if (length >= min && length <= max) return undefined;
  const message = `The password must have ${min} to ${max} characters.`;
  return new ApiError('validation.field_invalid', { message, meta: { field: 'password' } });
}

/** Keyboards compose letters differently; normalised, the same password is the same text. */
function textOf(password: string): string {
  return password.normalize('NFC');
}

/** Hashes passwords with argon2id, a few at a time. */
export function makePasswords() {
  const turn = makeTurns(HASHING);

  return Object.freeze({
    hash: (password: string) =>
      turn(TRUSTED, async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(textOf(password));
      }),

    /** Whether a password matches; without a user or hash it returns false after the same time. */
    matches: (password: string, hashed: string | undefined, standing = TRUSTED) =>
      turn(standing, async () => {
        const { verify } = await import('@node-rs/argon2');
        return (await verify(hashed ?? NOBODY, textOf(password))) && hashed !== undefined;
      }),
  });
}

export type Passwords = ReturnType<typeof makePasswords>;
