import { describe, expect, it } from 'vitest';
import { makeMask } from '#engine/verify/mask.ts';

const TOKEN = 'EAAG-secret-token';
const mask = makeMask(
  new Map([
    [TOKEN, 'secret'],
    ['Olivia Owner', 'account'],
  ]),
  new Set(['graph.example']),
);

describe('the mask of a report', () => {
  it('leaves nothing of people in an answer, but its form', () => {
    const answer = {
      id: '17841400000000001',
      username: 'olivia.owner',
      message: 'Meet me at 5 Elm Street',
      from: { name: 'Olivia Owner', id: 17_841_400_000_000 },
      picture: 'https://cdn.other.example/olivia/1.jpg?sig=abc',
      link: 'https://graph.example/17841400000000001_22',
      '17841400000000001': { likes: 12 },
    };
    const shown = mask.value(answer) as Record<string, any>;
    const text = JSON.stringify(shown);
    // Words of a few letters may come about by chance.
    for (const personal of ['178414', 'olivia', 'Olivia', 'Elm Street', 'cdn.other', 'sig=abc'])
      expect(text).not.toContain(personal);
    expect(shown['id']).toMatch(/^[1-9]\d{16}$/);
    expect(shown['username']).toMatch(/^[a-z]{6}\.[a-z]{5}$/);
    expect(shown['from'].id).toBeGreaterThan(10_000);
    expect(shown['link']).toMatch(/^https:\/\/graph\.example\/\d{17}_\d\d$/);
    expect(Object.values(shown).at(-1)).toEqual({ likes: 12 });
  });

  it('replaces the same by the same, so that what belongs together still does', () => {
    const { post, comment } = mask.value({ post: '123456_789', comment: { of: '789' } }) as Record<string, any>;
    expect(post.split('_')[1]).toBe(comment.of);
  });

  it('replaces numbers as it does texts, whatever their sign and size', () => {
    const given = { chat: -1_001_234_567_890, same: '-1001234567890', at: 52.520_008, tiny: 0.000_000_12, likes: -3 };
    const shown = mask.value({ ...given, huge: 2 ** 70, more: 1e22 }) as Record<string, number>;
    expect(shown['chat']).toBeLessThan(-1_000_000_000_000);
    expect(String(shown['chat'])).toBe(shown['same']);
    for (const name of ['chat', 'at', 'tiny'] as const) expect([name, shown[name]]).not.toEqual([name, given[name]]);
    for (const name of ['at', 'tiny', 'huge', 'more']) expect([name, shown[name]]).toEqual([name, expect.any(Number)]);
    expect(Object.values(shown)).not.toContain(Number.NaN);
    expect(shown['huge']).not.toBe(2 ** 70);
    expect(shown['likes']).toBe(-3);
  });

  it("leaves the platform's words", () => {
    const words = {
      status: 'FINISHED',
      media_type: 'IMAGE',
      error_subcode: 2_207_027,
      timestamp: '2026-11-28T07:00:00+0000',
    };
    expect(mask.value(words)).toEqual(words);
  });

  it('leaves the sentences of errors, without what they say of anybody', () => {
    const message = `(#10) Olivia Owner may not do this with ${TOKEN}: see https://graph.example/x, "Elm Street 5", 178414000`;
    const error = mask.value({ error: { message, code: 10 } }, true) as { error: { message: string; code: number } };
    expect(error.error.code).toBe(10);
    expect(error.error.message).toBe('(#10) <account> may not do this with <secret>: see <address> "…", <number>');
  });
});
