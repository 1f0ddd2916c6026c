import { randomBytes } from 'node:crypto';
import { ApiError } from '#kernel/errors.ts';
import { makeTurns, type Standing, type TurnLimits } from '#kernel/limits/turns.ts';

/** The upper bound limits what unauthenticated callers make us hash. */
export const PASSWORD_LENGTH: Readonly<{ min: number; max: number }> = Object.freeze({ min: 10, max: 256 });

/** Anybody may request hashing, which takes memory and a thread; waiting costs little. */
const HASHING: TurnLimits = Object.freeze({ atOnce: 2, waitingEach: 8, waiting: 1000, retryAfter: 2 });

/** Somebody with a session, a link or an operator's command. */
const TRUSTED: Standing = Object.freeze({ from: '', failures: 0 });

const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** A hash that nothing matches, at the usual cost: response times do not reveal whether a user exists. */
const NOBODY = `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`;

export function passwordRefusal(password: string): ApiError | undefined {
  const { min, max } = PASSWORD_LENGTH;
  const { length } = textOf(password);
  if (length >= min && length <= max) return undefined;
  const message = `The password must have ${min} to ${max} characters.`;
  return new ApiError('validation.field_invalid', { message, meta: { field: 'password' } });
}

/** Keyboards compose letters differently; the same password must be the same text. */
function textOf(password: string): string {
  return password.normalize('NFC');
}

/** Passwords as argon2id hashes, a few at a time. */
export function makePasswords() {
  const turn = makeTurns(HASHING);

  return Object.freeze({
    hash: (password: string) =>
      turn(TRUSTED, async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(textOf(password));
      }),

    /** Whether a password matches; without a user or hash it never does, taking as long. */
    matches: (password: string, hashed: string | undefined, standing = TRUSTED) =>
      turn(standing, async () => {
        const { verify } = await import('@node-rs/argon2');
        return (await verify(hashed ?? NOBODY, textOf(password))) && hashed !== undefined;
      }),
  });
}

export type Passwords = ReturnType<typeof makePasswords>;
