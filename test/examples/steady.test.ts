import { describe, expect, test } from 'vitest';
import { steady } from './printed.ts';

const [OLD, NEW] = ['pst_01kf0e44m02sb9hmc34sgd3bqw', 'pst_01kf0rfj300vemvxdtqr6rfn5y'];
const BEFORE = { make: { id: OLD, text: 'Rye', at: '2026-01-15T09:00:00.000Z', duration_ms: 8 } };

describe('a new recording of the examples', () => {
  test('keeps the ids and durations of the one before', () => {
    expect(steady({ make: { ...BEFORE.make, id: NEW, duration_ms: 26 } }, BEFORE)).toEqual(BEFORE);
  });

  test('shows what changed, with the ids of before', () => {
    const make = { id: NEW, text: 'Wheat', at: '2026-01-16T09:00:00.000Z', duration_ms: 8, url: `/posts/${NEW}/edit` };
    expect(steady({ make, read: { input: { post_id: NEW } } }, BEFORE)).toEqual({
      make: { ...make, id: OLD, url: `/posts/${OLD}/edit` },
      read: { input: { post_id: OLD } },
    });
  });

  test('keeps a signature, however it begins', () => {
    const signed = (signature: string) => ({ url: `https://a.test/upload/${signature}` });
    const before = signed('pE1uz_g7ZHiEt7SvNGHciwG_RxaHZ9Q7Vub-ogTZ_Kg');
    expect(steady(signed('bz_Gu0OLjTeijeDfucvO8reZH0GHrvnaG8crMqavOqk'), before)).toEqual(before);
  });

  test('does not hide that an id is of another kind', () => {
    const make = { ...BEFORE.make, id: 'acc_01kf0rfj300vemvxdtqr6rfn5y' };
    expect(steady({ make }, BEFORE)).toEqual({ make });
  });
});
