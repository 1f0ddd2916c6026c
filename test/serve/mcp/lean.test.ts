import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { prepared } from '#kernel/text/prepared.ts';
import { leanBy } from '#serve/mcp/answers/lean.ts';
import { leanSchema } from '#serve/mcp/answers/outputs.ts';
import { jsonSchema } from '#serve/schema.ts';

const Rules = z.looseObject({ length: z.int(), kinds: z.array(z.string()) });

const Answer = z.looseObject({
  id: z.string(),
  again: z.string().meta({ alias_of: 'id' }),
  at: z.string().nullable(),
  list: z.array(z.looseObject({ tags: z.array(z.string()), media: z.array(z.string()).meta({ inherits: true }) })),
  rest: z.array(z.string()).meta({ minor: true }),
  media: z.array(z.string()),
  rules: z.record(
    z.string(),
    Rules.extend({ further: z.record(z.string(), Rules.meta({ inherits: true })).optional() }),
  ),
  metadata: z.record(z.string(), z.unknown()),
  payload: z.unknown(),
});

const lean = leanBy(jsonSchema(Answer, 'output'));

const ANSWER = {
  id: 'a',
  again: 'a',
  at: null,
  list: [
    { tags: [], media: ['m'], unknown: null },
    { tags: ['t'], media: ['n'], unknown: 1 },
  ],
  rest: [],
  media: ['m'],
  rules: {
    x: {
      length: 1,
      kinds: ['a'],
      further: { y: { length: 2, kinds: [], text: { max: null, min: 1 } }, z: { length: 1, kinds: ['a'] } },
      text: { max: 5, min: 1 },
    },
  },
  metadata: { none: null, deep: { none: null } },
  payload: { none: null, list: [] },
};

describe('a lean answer', () => {
  it('has nothing twice, nothing that is null, and no empty list below its top', () => {
    expect(lean(ANSWER)).toEqual({
      id: 'a',
      list: [{}, { tags: ['t'], media: ['n'], unknown: 1 }],
      media: ['m'],
      rules: {
        x: {
          length: 1,
          kinds: ['a'],
          further: { y: { length: 2, kinds: [], text: { max: null } } },
          text: { max: 5, min: 1 },
        },
      },
      metadata: {},
      payload: { none: null, list: [] },
    });
    expect(lean({ ...ANSWER, list: [], media: [] })).toMatchObject({ list: [], media: [] });
  });

  it('keeps what strangers named as it is', () => {
    const given = JSON.parse('{"id":"a","metadata":{"__proto__":1,"constructor":2}}') as object;
    expect(JSON.stringify(lean(given))).toBe('{"id":"a","metadata":{"__proto__":1,"constructor":2}}');
  });

  it('is made once of an answer that is prepared', () => {
    const answer = prepared({ id: 'a', again: 'a' });
    expect(lean(answer)).toBe(lean(answer));
  });

  it('is what its schema says', () => {
    const { properties, required } = leanSchema(jsonSchema(Answer, 'output'), true) as any;
    expect(Object.keys(properties)).toEqual(Object.keys(ANSWER).filter((name) => name !== 'again'));
    expect(required).toEqual(['id', 'list', 'media', 'rules', 'metadata']);
    expect(properties.at).toEqual({ type: 'string' });
    expect(properties.list.items).not.toHaveProperty('required');
    const further = properties.rules.additionalProperties.properties.further.additionalProperties;
    expect(further).not.toHaveProperty('required');
  });
});

describe('a list in brief', () => {
  const Page = z.object({ data: z.array(z.object({ id: z.string(), text: z.string().nullable(), more: z.string() })) });
  const { of, output } = briefList(Page, 'data', { fields: ['id', 'text'], text: 'text' });
  const page = (count: number, text: string) =>
    of({ data: Array.from({ length: count }, () => ({ id: 'a', text, more: 'x' })) }) as z.output<typeof Page>;

  it('cuts texts to 200 characters, and to fewer where they would be too much', () => {
    expect(page(1, 'x'.repeat(200)).data).toEqual([{ id: 'a', text: 'x'.repeat(200) }]);
    const lengths = [5, 50, 90].map((count) => page(count, 'x'.repeat(300)).data[0]!.text!.length);
    expect(lengths).toEqual([200, 120, 60]);
    expect(output.parse(page(2, 'x'))).toEqual(page(2, 'x'));
  });

  it('cuts no character in two', () => {
    expect(page(1, `${'x'.repeat(198)}😀😀`).data[0]!.text).toBe(`${'x'.repeat(198)}…`);
  });
});
