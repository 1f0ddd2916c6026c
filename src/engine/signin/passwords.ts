import { randomBytes } from 'node:crypto';
import { ApiError } from '#kernel/errors.ts';
import { makeTurns, type Standing, type TurnLimits } from '#kernel/limits/turns.ts';

/** How long a password may be; the upper bound keeps what strangers let us hash small. */
export const PASSWORD_LENGTH: Readonly<{ min: number; max: number }> = Object.freeze({ min: 10, max: 256 });

/** Hashing takes memory and a thread each, and anybody may ask for it; waiting costs little. */
const HASHING: TurnLimits = Object.freeze({ atOnce: 2, waitingEach: 8, waiting: 1000, retryAfter: 2 });

/** Who was let in already, by a session, by a link or by a command of the operator. */
const TRUSTED: Standing = Object.freeze({ from: '', failures: 0 });

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
  const turn = makeTurns(HASHING);

  return Object.freeze({
    hash: (password: string) =>
      turn(TRUSTED, async () => {
        const { hash } = await import('@node-rs/argon2');
        return hash(textOf(password));
      }),

    /** Whether a password is the one of a hash; of a user without one or of nobody it never is, which takes as long. */
    matches: (password: string, hashed: string | undefined, standing = TRUSTED) =>
      turn(standing, async () => {
        const { verify } = await import('@node-rs/argon2');
        return (await verify(hashed ?? NOBODY, textOf(password))) && hashed !== undefined;
      }),
  });
}

export type Passwords = ReturnType<typeof makePasswords>;
