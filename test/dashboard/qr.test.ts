import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { qrOf } from '#dashboard/accounts/qr.ts';

const drawn = (text: string) => qrOf(text)!.map((row) => row.map((isDark) => (isDark ? '#' : ' ')).join(''));

describe('a QR code', () => {
  // As uqr 0.1 draws them with correction M and mask 0; phones read those.
  it.each([
    ['https://rostra.example/invite/abc', 29, '16ed236d7534fe80'],
    ['x'.repeat(150), 49, 'd04ffb513988abbe'],
    ['y'.repeat(213), 57, '35655c2ba409a4d0'],
  ])('of %j has %i modules a side, each where readers look for it', (text, side, hash) => {
    const rows = qrOf(text)!.map((row) => row.map(Number).join(''));
    expect(rows).toHaveLength(side);
    expect(createHash('sha256').update(rows.join('\n')).digest('hex').slice(0, 16)).toBe(hash);
  });

  it('has squares in three corners, and a light edge around them', () => {
    const square = ['#######', '#     #', '# ### #', '# ### #', '# ### #', '#     #', '#######'];
    const rows = drawn('a');
    expect(rows.slice(0, 7).map((row) => row.slice(0, 7))).toEqual(square);
    expect(rows.slice(0, 7).map((row) => row.slice(-7))).toEqual(square);
    expect(rows.slice(-7).map((row) => row.slice(0, 7))).toEqual(square);
    expect(rows[7]!.slice(0, 8).trim()).toBe('');
  });

  it('is there for texts that have room in one', () => {
    expect([qrOf('é'.repeat(106))?.length, qrOf('é'.repeat(107))]).toEqual([57, undefined]);
  });
});
