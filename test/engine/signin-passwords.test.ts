import { describe, expect, it } from 'vitest';
import { makePasswords } from '#engine/signin/passwords.ts';

const SETTINGS = '$argon2id$v=19$m=19456,t=2,p=1$';

describe('passwords', () => {
  it('are hashed with argon2id and a salt of their own', async () => {
    const passwords = makePasswords();
    const [one, two] = [await passwords.hash('the same password'), await passwords.hash('the same password')];
    expect(one.startsWith(SETTINGS)).toBe(true);
    expect(one).not.toBe(two);
    expect(await passwords.matches('the same password', one)).toBe(true);
    expect(await passwords.matches('another password', one)).toBe(false);
  });

  it('of nobody take the same turn as those of somebody, and never match', async () => {
    const passwords = makePasswords();
    const asked = Array.from({ length: 12 }, () => passwords.matches('', undefined));
    const ends = await Promise.allSettled(asked);
    // Two at once and eight that wait; hashing is what they wait for.
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const end of ends) {
      if (end.status === 'fulfilled') expect(end.value).toBe(false);
      else expect(end.reason).toMatchObject({ code: 'http.429', detail: { retryAfter: 2 } });
    }
    expect(await passwords.matches('', undefined)).toBe(false);
  });

  it('keep their places when a hash cannot be read', async () => {
    const passwords = makePasswords();
    for (let times = 0; times < 20; times++) await expect(passwords.matches('x', 'no hash')).rejects.toThrow();
    expect(await passwords.matches('x', await passwords.hash('x'))).toBe(true);
  });
});
