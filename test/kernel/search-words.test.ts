import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placesOf, snippetOf, wantedOf, wordsOf } from '#kernel/search/words.ts';

describe('the words of a text', () => {
  it.each([
    ['Fresh bread, fresh!', ['fresh', 'bread']],
    ['Café at 7:30', ['cafe', 'at', '7', '30']],
    ['ＷＩＤＥ don’t', ['wide', 'don', 't']],
    ['你好世界', ['你', '好', '世', '界', '你好', '好世', '世界']],
    ['I ❤️ it 🍞', ['i', '❤', 'it', '🍞']],
    ['\0 \' " * ( ) & | ! :* \\', []],
    ['snake_case e-mail', ['snake', 'case', 'e', 'mail']],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('hold nothing that a language for searches could read, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text)) expect(word).not.toMatch(/[\s\0"'§*:()&|!<\\-]/);
        for (const { from, to } of placesOf(text)) expect(to).toBeGreaterThan(from);
      }),
    );
  });
});

describe('what is looked for', () => {
  it.each([
    ['fresh bre', { words: ['fresh'], beginning: 'bre' }],
    ['fresh bread ', { words: ['fresh', 'bread'] }],
    ['a', { words: ['a'] }],
    ['好', { words: ['好'] }],
    ['你好世', { words: ['你好', '好世'] }],
    ['*', undefined],
  ])('%j', (query, wanted) => {
    expect(wantedOf(query)).toEqual(wanted);
  });
});

describe('a piece of a text', () => {
  const pieceOf = (text: string, query: string, most = 40) => {
    const { text: piece, marks } = snippetOf(text, wantedOf(query)!, most);
    return [piece, marks.map(([from, to]) => piece.slice(from, to))];
  };

  it('is around the first of the words, which are marked', () => {
    expect(pieceOf('Fresh BREAD from seven', 'bre seven ')).toEqual(['Fresh BREAD from seven', ['seven']]);
    expect(pieceOf('Fresh BREAD from seven', 'seven bre')).toEqual(['Fresh BREAD from seven', ['BREAD', 'seven']]);
    expect(pieceOf(`${'word '.repeat(30)}needle ${'word '.repeat(30)}`, 'needle')).toEqual([
      expect.stringMatching(/^…word needle word (?:word )*w?o?r?d?…$/),
      ['needle'],
    ]);
    expect(pieceOf('你好世界', '世界')).toEqual(['你好世界', ['世', '界']]);
  });

  it('is the beginning where no word is in it', () => {
    expect(pieceOf('a'.repeat(50), 'needle')).toEqual([`${'a'.repeat(40)}…`, []]);
  });

  it('never has half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 30 }), fc.integer({ min: 1, max: 40 }), (text, most) => {
        const { text: piece } = snippetOf(`${text} needle ${text}`, { words: ['needle'] }, most);
        expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });
});
