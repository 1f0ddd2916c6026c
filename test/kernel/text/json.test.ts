import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, JsonError, parseBigJson, parseJson } from '#kernel/text/json.ts';

/** Padding outside the value under test, so that the short cut for short texts is not taken. */
const pad = (text: string) => `${' '.repeat(200)}${text}`;

function reasonOf(text: string, maxDepth: number, maxValues: number): string {
  try {
    parseJson(pad(text), { maxDepth, maxValues });
    return 'fine';
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return error.reason;
  }
}

describe('parseJson', () => {
  it.each([
    ['1', 0, 1, 'fine'],
    ['[]', 1, 1, 'fine'],
    ['[]', 0, 1, 'depth'],
    ['[1,2,3]', 1, 4, 'fine'],
    ['[1,2,3]', 1, 3, 'values'],
    ['[[],[],{}]', 2, 4, 'fine'],
    ['[[],[],{}]', 2, 3, 'values'],
    ['{"a":{"b":{}}}', 3, 3, 'fine'],
    ['{"a":{"b":{}}}', 2, 3, 'depth'],
    ['{"a":[1,2],"b":"x"}', 2, 5, 'fine'],
    ['{"a":[1,2],"b":"x"}', 2, 4, 'values'],
    [String.raw`["[[[{{{,,,", "\"[[,", "\\", "]"]`, 1, 5, 'fine'],
    ['["unfinished', 1, 9, 'syntax'],
    [']]]]', 1, 9, 'syntax'],
    ['', 1, 9, 'syntax'],
  ])('%s within depth %i and %i values: %s', (text, depth, values, expected) => {
    expect(reasonOf(text, depth, values)).toBe(expected);
  });

  it('refuses what would overflow the stack of whoever writes it again', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(() => parseJson(deep, { maxDepth: 64, maxValues: 50_000 })).toThrow(JsonError);
  });

  it('counts exactly what a parse would count, and gives the same value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, item) => sum + countOf(item), 1)
        : 1;
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, indented) => {
        const value: unknown = JSON.parse(text);
        const written = JSON.stringify(value, undefined, indented ? 2 : 0);
        const maxDepth = depthOf(value);
        const maxValues = countOf(value);
        expect(parseJson(pad(written), { maxDepth, maxValues })).toEqual(value);
        expect(reasonOf(written, maxDepth, maxValues - 1)).toBe('values');
        if (maxDepth > 0) expect(reasonOf(written, maxDepth - 1, maxValues)).toBe('depth');
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('is the same for the same value, and for no other', () => {
    const text = '{"b":[1,{"d":null,"__proto__":{"x":1}}],"a":"é\\n"}';
    const canonical = canonicalJson(JSON.parse(text));
    expect(canonical).toBe('{"a":"é\\n","b":[1,{"__proto__":{"x":1},"d":null}]}');
    expect(canonicalJson(JSON.parse(' { "a" : "\\u00e9\\n", "b" : [ 1.0, {"__proto__":{"x":1},"d":null} ] } '))).toBe(
      canonical,
    );
    for (const other of ['{"b":[1,{"d":null}],"a":"é\\n"}', '{"a":"é\\n","b":[{"__proto__":{"x":1},"d":null},1]}'])
      expect(canonicalJson(JSON.parse(other))).not.toBe(canonical);
    expect(canonicalJson([])).toBe('[]');
    expect(canonicalJson({})).toBe('{}');
    expect(canonicalJson('1')).toBe('"1"');
    expect(canonicalJson(1)).toBe('1');
  });

  it('reads back as what it was made of', () => {
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(plain(value));
      }),
    );
  });
});

describe('parseBigJson', () => {
  it.each([
    ['{"user_id":17841405793187219}', { user_id: '17841405793187219' }],
    [
      '[7285912345678901234,-9007199254740992,123456789012345678901234]',
      ['7285912345678901234', '-9007199254740992', '123456789012345678901234'],
    ],
    ['[9007199254740991,0,-5,1.5,1e30,1234567.5]', [9007199254740991, 0, -5, 1.5, 1e30, 1234567.5]],
    [
      '{"text":"17841405793187219","a":[{"b":null,"c":true}]}',
      { text: '17841405793187219', a: [{ b: null, c: true }] },
    ],
  ])('keeps every digit of %s', (text, value) => expect(parseBigJson(text)).toEqual(value));

  it('refuses what is no JSON', () => expect(() => parseBigJson('{')).toThrow(SyntaxError));

  it('counts before it parses, where it has limits', () => {
    const limits = { maxDepth: 1, maxValues: 3 };
    expect(parseBigJson('[1,2]', limits)).toEqual([1, 2]);
    for (const text of ['[1,2,3', '[[1']) expect(() => parseBigJson(text, limits)).toThrow(JsonError);
  });
});
