import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { brief, jsonSchema, topLevel } from '#serve/schema.ts';

describe('jsonSchema', () => {
  it('says what a type takes without what says nothing', () => {
    const type = z.object({
      when: z.iso.datetime({ offset: true }),
      count: z.int(),
      page: z.int().min(1).max(100).default(25),
      code: z.string().regex(/^[a-z]+$/),
      labels: z.record(z.string(), z.unknown()),
      kind: z.enum(['a', 'b']).nullable(),
      text: z.string().max(9).nullish().describe('Text.'),
    });
    expect(jsonSchema(type, 'input')).toEqual({
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time' },
        count: { type: 'integer' },
        page: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
        code: { type: 'string', pattern: '^[a-z]+$' },
        labels: { type: 'object' },
        kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
        text: { type: ['string', 'null'], maxLength: 9, description: 'Text.' },
      },
      required: ['when', 'count', 'code', 'labels', 'kind'],
    });
  });

  it('keeps fields that are called like keywords', () => {
    const type = z.object({
      pattern: z.string(),
      propertyNames: z.array(z.string()),
      $schema: z.string(),
      format: z.string(),
    });
    expect(Object.keys(jsonSchema(type, 'input')['properties'] as object)).toEqual([
      'pattern',
      'propertyNames',
      '$schema',
      'format',
    ]);
  });

  it('keeps choices it cannot shorten', () => {
    const type = z.object({
      either: z.union([z.string(), z.array(z.string())]),
      maybe: z.object({ a: z.string() }).nullable(),
    });
    expect(jsonSchema(type, 'output')).toMatchObject({
      properties: {
        either: { anyOf: [{ type: 'string' }, { type: 'array' }] },
        maybe: { type: ['object', 'null'], properties: { a: { type: 'string' } } },
      },
    });
  });
});

describe('brief', () => {
  const item = z.object({
    source: z.string().min(1).max(9),
    kind: z.enum(['image', 'video']).nullish(),
    parts: z.array(z.object({ deep: z.string().max(5).nullish() })).max(3),
    seldom: z.string().optional().meta({ minor: true }),
  });
  const type = z.object({
    post_id: z.string().min(1).describe('Id of the post.'),
    webhook_id: z.string().min(1).describe('Id of the webhook endpoint.'),
    account_id: z.string().describe('Id of the account to publish to.'),
    limit: z.int().min(1).max(100).default(25).describe('Items per page.'),
    text: z.string().max(300).nullish().describe('Text.'),
    only: z.literal('one').describe('The one.'),
    off: z.literal(false).optional().describe('Ends it.'),
    page: z.httpUrl().max(9).describe('An address.'),
    things: z.array(item).max(5).nullish().describe('Some.'),
    any: z
      .unknown()
      .meta({ shown_as: { type: 'object', properties: { a: { type: 'string' } } } })
      .describe('Anything.'),
    open: z
      .record(z.string(), z.unknown())
      .nullish()
      .meta({ shown_as: { type: 'string' } })
      .describe('JSON.'),
  });

  it('says what a model needs, in words that every host takes', () => {
    expect(brief(jsonSchema(type, 'input'))).toEqual({
      type: 'object',
      properties: {
        post_id: { type: 'string' },
        webhook_id: { type: 'string' },
        account_id: { type: 'string', description: 'Id of the account to publish to.' },
        limit: { type: 'integer' },
        text: { type: 'string' },
        only: { type: 'string', enum: ['one'], description: 'The one.' },
        off: { type: 'boolean', description: 'Ends it.' },
        page: { type: 'string', description: 'An address.' },
        things: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              source: { type: 'string' },
              kind: { type: 'string', enum: ['image', 'video'] },
              parts: { type: 'array', items: { type: 'object', properties: { deep: { type: 'string' } } } },
            },
            required: ['source', 'parts'],
          },
          description: 'Some.',
        },
        any: { type: 'object', properties: { a: { type: 'string' } }, description: 'Anything.' },
        open: { type: 'string', description: 'JSON.' },
      },
      required: ['post_id', 'webhook_id', 'account_id', 'only', 'page', 'any'],
    });
  });
});

describe('topLevel', () => {
  const shallow = (type: z.ZodType) => topLevel(jsonSchema(type, 'output'));

  it('types scalars, leaves the rest bare and requires the id alone', () => {
    const type = z.object({
      id: z.string(),
      state: z.enum(['draft', 'sent']),
      at: z.iso.datetime().nullable(),
      any: z.unknown(),
      list: z.array(z.object({ id: z.string() })),
      nested: z.object({ a: z.string() }).optional(),
      map: z.record(z.string(), z.string()),
      ok: z.literal(true),
      results: z.array(z.string()).meta({ alias_of: 'list' }),
    });
    expect(shallow(type)).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        state: { type: 'string' },
        at: { type: 'string' },
        any: {},
        list: { type: 'array' },
        nested: { type: 'object' },
        map: { type: 'object' },
        ok: { type: 'boolean' },
      },
      required: ['id'],
    });
  });

  it('requires no id that may be missing', () => {
    expect(shallow(z.object({ id: z.string().optional() }))).not.toHaveProperty('required');
  });

  it('types the values of a record without fields of its own', () => {
    expect(shallow(z.object({}).catchall(z.int()))).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: { type: 'integer' },
    });
  });

  it('follows types that are used twice', () => {
    const Shared = z.object({ a: z.string() }).meta({ id: 'Shared' });
    expect(shallow(z.object({ one: Shared, two: Shared.nullable(), many: z.array(Shared) }))).toEqual({
      type: 'object',
      properties: { one: { type: 'object' }, two: { type: 'object' }, many: { type: 'array' } },
    });
  });
});
