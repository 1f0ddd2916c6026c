import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { flawsOf } from '#engine/verify/shape.ts';

const Item = z.object({
  id: z.string(),
  count: z.number().catch(0).default(0),
  text: z.string().optional().catch(undefined),
  kind: z.enum(['a', 'b']),
  loose: z.enum(['a', 'b']).catch('a'),
});
const Answer = z.object({ data: z.array(Item), next: z.string().nullish() }).transform(({ data }) => data);
const item = { id: '1', count: 1, text: 'x', kind: 'a', loose: 'a' };
const flaws = (change: object) => flawsOf(Answer, { data: [item, { ...item, ...change }] });

describe('the flaws of an answer', () => {
  it('are none where it is as it is relied on, with more members or without those that may be missing', () => {
    expect(flaws({ more: 1 })).toEqual([]);
    expect(flaws({ count: undefined, text: null })).toEqual([]);
    expect(flaws({ loose: 'new' })).toEqual([]);
  });

  it.each([
    [{ id: undefined }, { at: 'data[].id', expected: 'string', seen: 'missing' }],
    [{ id: 7 }, { at: 'data[].id', expected: 'string', seen: 'number' }],
    [{ count: '7' }, { at: 'data[].count', expected: 'number', seen: 'string' }],
    [{ text: ['x'] }, { at: 'data[].text', expected: 'string', seen: 'list' }],
    [{ kind: 'new' }, { at: 'data[].kind', expected: 'string of a known form', seen: 'another one' }],
  ])('name the member and both types for %j', (change, flaw) => {
    expect(flaws(change)).toEqual([flaw]);
  });

  it('are found behind unions, records and lists that are none', () => {
    const Either = z.union([z.object({ ok: z.literal(true) }), z.object({ id: z.string() })]);
    expect(flawsOf(Either, { id: 'a' })).toEqual([]);
    expect(flawsOf(Either, { id: 1 })).toEqual([{ at: 'id', expected: 'string', seen: 'number' }]);
    expect(flawsOf(z.record(z.string(), z.number()), { a: '1' })).toEqual([
      { at: '*', expected: 'number', seen: 'string' },
    ]);
    expect(flawsOf(Answer, { data: {} })).toEqual([{ at: 'data', expected: 'list', seen: 'object' }]);
    expect(flawsOf(Answer, undefined)).toEqual([{ at: '', expected: 'object', seen: 'missing' }]);
  });

  it('are those of the whole where no member shows them', () => {
    const Even = z.object({ n: z.number() }).refine(({ n }) => n % 2 === 0);
    expect(flawsOf(Even, { n: 1 })).toEqual([{ at: '', expected: 'custom', seen: 'object' }]);
  });
});
