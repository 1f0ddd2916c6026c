import { describe, expect, it } from 'vitest';
import { isSameText, onlyMatch, onlySent, secondOf } from '#platforms/shared/settle.ts';

describe('a lookup after a lost answer', () => {
  const list = [
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
    { id: 3, text: 'b' },
  ];
  const of = (text: string) => (item: (typeof list)[number]) => item.text === text;

  it('finds only what nothing else can be', () => {
    expect(onlyMatch(list, of('a'))).toBe(list[0]);
    expect(onlyMatch(list, of('b'))).toBe('unknown');
    expect(onlyMatch(list, of('c'))).toBe('unknown');
  });

  it('calls nothing absent but from a list that shows everything', () => {
    expect(onlyMatch(list, of('c'), 'absent')).toBe('absent');
    expect(onlyMatch(list, of('b'), 'absent')).toBe('unknown');
    expect(onlyMatch(list, of('a'), 'absent')).toBe(list[0]);
  });

  it('calls a message absent only where a conversation was read whole', () => {
    const sent = (at: number) => ({ platform_id: `m-${at}`, direction: 'outgoing' as const, created_at: at });
    const look = (listed: readonly ReturnType<typeof sent>[], isWhole = true) =>
      onlySent(listed, { sentAt: 1000, taken: new Set(), most: 2, isWhole }, ({ created_at }) => created_at > 2000);
    expect(look([sent(3000)], false)).toEqual({ message_id: 'm-3000', created_at: 3000 });
    expect(look([sent(0)])).toBe('absent');
    expect(look([sent(1500), sent(1600)])).toBe('unknown');
    expect(look([])).toBe('unknown');
    expect(look([sent(0)], false)).toBe('unknown');
  });

  it('knows a text by what platforms leave of it', () => {
    expect(isSameText(' a\u00A0b\u200B\n', 'a b')).toBe(true);
    expect(isSameText('e\u0301', 'é')).toBe(true);
    expect(isSameText(undefined, '')).toBe(true);
    expect(isSameText('a', 'b')).toBe(false);
    expect(secondOf(1_700_000_000_999)).toBe(1_700_000_000_000);
  });
});
