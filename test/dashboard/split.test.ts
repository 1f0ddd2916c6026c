import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '#dashboard/compose/split.ts';
import { lengthOf } from '#kernel/text/length.ts';

const within = (most: number) => (text: string) => lengthOf(text, 'graphemes') <= most;

describe('a long text', () => {
  it.each([
    ['One thing.\n\nTwo and three.', 18, ['One thing.', 'Two and three.']],
    ['First here. Second there. Third', 28, ['First here. Second there.', 'Third']],
    ['a first line\nand another one', 20, ['a first line', 'and another one']],
    ['some words without an end', 12, ['some words', 'without an', 'end']],
    ['一二三。四五六。七', 6, ['一二三。', '四五六。七']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['short', 10, ['short']],
    ['  ', 10, []],
  ])('is parted between paragraphs, lines, sentences or words: %j in %i', (text, most, parts) => {
    expect(splitText(text, within(most))).toEqual(parts);
  });

  it('is parted into posts that fit, and loses nothing but the gaps', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 30 }), (all, most) => {
        const text = all.join(' ');
        const parts = splitText(text, within(most));
        expect(parts.filter((part) => part.trim() === '' || !within(most)(part))).toEqual([]);
        expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      }),
    );
  });

  it('is parted even where no character fits', () => {
    expect(splitText('ab', () => false)).toEqual(['a', 'b']);
  });
});
