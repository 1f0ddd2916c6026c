import { expect, it } from 'vitest';
import { makeSealer, opens, SealError } from '#kernel/seal.ts';

const [own, other] = ['11', '22'].map((byte) => byte.repeat(32)) as [string, string];

it('a sealed value opens in its own place alone, and with an older key of the ring', () => {
  const sealed = makeSealer([own]).seal('secret', 'accounts.session.1');
  const ring = makeSealer([other, own]);
  expect(ring.open(sealed, 'accounts.session.1')).toBe('secret');
  expect(ring.isNewest(sealed)).toBe(false);
  expect(opens(ring, sealed, 'accounts.session.2')).toBe(false);
});

it('a value that is cut off does not open, like any other that is damaged', () => {
  const sealer = makeSealer([own]);
  const sealed = sealer.seal('secret', 'a.b.c');
  for (const damaged of ['', 'v1', sealed.slice(0, 16), sealed.slice(0, 40), `${sealed.slice(0, -4)}AAAA`]) {
    expect(() => sealer.open(damaged, 'a.b.c')).toThrow(SealError);
  }
});
