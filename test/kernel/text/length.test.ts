import { describe, expect, it } from 'vitest';
import { cut, lengthOf } from '#kernel/text/length.ts';
// Counted by twitter-text 3.1.0, the library that the platform publishes.
import vectors from '../../oracles/weighted-lengths.json' with { type: 'json' };

describe('the weighted length of a text', () => {
  it('is what the library of the platform counts', () => {
    const wrong = (vectors as [string, number][]).flatMap(([text, length]) => {
      const counted = lengthOf(text, 'weighted');
      return counted === length ? [] : [{ text, length, counted }];
    });
    expect(wrong).toEqual([]);
    expect(vectors.length).toBeGreaterThanOrEqual(200);
  });

  it('counts emoji that are newer than the library as one', () => {
    expect(['🫠', '🧑‍🚒', '🫱🏻‍🫲🏿', '👁️‍🗨️'].map((emoji) => lengthOf(emoji, 'weighted'))).toEqual([2, 2, 2, 2]);
  });

  it('is counted in no time, however odd the text', () => {
    for (const text of ['a.', '(', '.', 'a-', 'https://', 'a.com/', 'a_.', '@', '日', 'é.']) {
      const long = text.repeat(20_000);
      expect(lengthOf(long, 'weighted')).toBeGreaterThan(0);
      expect(lengthOf(`a.com ${long}x`, 'weighted')).toBeGreaterThan(23);
    }
  });
});

it.each([
  ['plain text', 10],
  ['日本語', 3],
  ['😀', 4],
  ['a😀b', 6],
  ['👨‍👩‍👧‍👦', 25],
  ['🇩🇪', 8],
  ['❤️', 6],
  ['1️⃣', 7],
  ['#1 in 2026', 10],
])('counts %s with its emoji by their bytes', (text, length) => {
  expect(lengthOf(text, 'emoji_bytes')).toBe(length);
});

it.each([
  ['ab', 2, 'ab'],
  ['abc', 2, 'a…'],
  ['one two', 5, 'one…'],
  ['a👨‍👩‍👧‍👦', 11, 'a…'],
  ['a👨‍👩‍👧‍👦b', 13, 'a👨‍👩‍👧‍👦b'],
  // What is one character to see may be any number of them.
  [`x${'\u0301'.repeat(900)}`, 5, 'x\u0301\u0301\u0301…'],
  ['😀😀', 2, '…'],
])('cuts %s to %i characters', (text, most, expected) => {
  expect(cut(text, most, '…')).toBe(expected);
  expect(expected.length).toBeLessThanOrEqual(most);
});
