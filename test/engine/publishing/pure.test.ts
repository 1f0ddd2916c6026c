import { describe, expect, it } from 'vitest';
import type { TargetStatus } from '#db/schema/database.ts';
import { lengthOf } from '#kernel/text/length.ts';
import { ApiError } from '#kernel/errors.ts';
import { OutboundError } from '#kernel/net/outbound.ts';
import { type FailureKind, PlatformError } from '#platforms/errors.ts';
import type { StepKind } from '#platforms/posts.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { contentOf } from '../../harness/worlds/publishing.ts';
import { attemptFailureOf } from '#engine/publishing/attempt/failures.ts';
import { afterFailure, countFailure, tallyAt } from '#engine/publishing/attempt/retry-policy.ts';
import { outgoing } from '#engine/publishing/content/compose.ts';
import { fingerprint, hasContent } from '#engine/publishing/content/content.ts';
import { issuesOf, makeTextCheck } from '#engine/publishing/content/rules.ts';
import { retryRefusal, statusOf } from '#engine/publishing/state/machine.ts';
import { platformFailure } from '#engine/publishing/state/target-error.ts';

describe('the state of a post', () => {
  const rows: readonly (readonly [TargetStatus[], string])[] = [
    [['published', 'published'], 'published'],
    [['published', 'failed'], 'partial'],
    [['failed', 'failed'], 'failed'],
    [['failed', 'pending'], 'failed'],
    [['published', 'pending'], 'partial'],
    [['published', 'publishing'], 'publishing'],
    [['failed', 'scheduled'], 'publishing'],
    [['unpublished', 'published'], 'published'],
    [['unpublished', 'failed'], 'failed'],
    [['unpublished', 'cancelled'], 'failed'],
  ];
  it.each(rows)('of targets %j is %s', (targets, status) => expect(statusOf(targets)).toBe(status));

  it('says what retry answers', () => {
    expect(retryRefusal('published', false)).toBe('post.state_invalid');
    expect(retryRefusal('publishing', true)).toBe('post.state_invalid');
    expect(retryRefusal('publishing', false)).toBe('post.no_retryable_deliveries');
    expect(retryRefusal('partial', false)).toBe('post.no_retryable_deliveries');
    expect(retryRefusal('partial', true)).toBeUndefined();
  });
});

describe('patience', () => {
  const late = { waits: 60, now: 0, settles: true };
  const waits = (outcome: FailureKind, kind: StepKind, retryAfter?: number, settles = true) => {
    const all: unknown[] = [];
    for (let tally = tallyAt('step', undefined); ; tally = countFailure(tally, outcome, 0)) {
      const next = afterFailure({ kind: outcome, retryAfter }, { kind }, { ...late, tally, waits: 0, settles });
      if ('over' in next) return [...all, next.over];
      all.push(next.waitMs / 1000);
    }
  };

  it.each([
    ['unknown', 'invisible', [0, 5, 30, 120, 600, 'exhausted']],
    ['unknown', 'idempotent', [0, 5, 30, 120, 600, 'exhausted']],
    ['unknown', 'visible', [120, 120, 300, 600, 'exhausted']],
    ['not_sent', 'idempotent', [10, 60, 'exhausted']],
    ['throttled', 'idempotent', [60, 60, 60, 60, 60, 'held_back']],
  ] as const)('with %s at a step that is %s is %j', (outcome, kind, expected) => {
    expect(waits(outcome, kind)).toEqual(expected);
  });

  it.each([
    [undefined, undefined, [2, 5, 10, 20, 30, 60, 60, 60, 60, 60, 60, 60, 60, 53]],
    [60_000, undefined, [2, 5, 10, 20, 23]],
    [100_000, 45, [45, 45, 10]],
    [3_000, 0, [1, 1, 1]],
  ])('of a pending step, for %j ms and asked to wait %j seconds, is %j', (maxWaitMs, retryAfter, expected) => {
    const error = { kind: 'pending' as const, retryAfter };
    const step = { kind: 'visible' as const, maxWaitMs };
    const all: number[] = [];
    let tally = tallyAt('step', undefined);
    for (let now = 5; ;) {
      const next = afterFailure(error, step, { ...late, tally, now });
      if ('over' in next) break;
      expect(next.logged).toBe(false);
      all.push(next.waitMs / 1000);
      tally = countFailure(tally, 'pending', now);
      now += next.waitMs;
    }
    expect(all).toEqual(expected);
  });

  it('waits for no look-up where a platform has none', () => {
    expect(waits('unknown', 'visible', undefined, false)).toEqual(['exhausted']);
    expect(waits('not_sent', 'visible', undefined, false)).toEqual([10, 60, 'exhausted']);
  });

  it('waits as long as the platform asks, up to 15 minutes', () => {
    expect(waits('throttled', 'visible', 900)).toEqual([900, 900, 900, 900, 900, 'held_back']);
    expect(waits('throttled', 'visible', 901)).toEqual(['held_back']);
    expect(waits('throttled', 'visible', 0)[0]).toBe(1);
  });

  it('begins anew at another step, and ends after 60 waits whatever they were for', () => {
    const tally = countFailure(tallyAt('one', undefined), 'throttled', 0);
    expect(tallyAt('one', tally)).toEqual({ step: 'one', throttled: 1 });
    expect(tallyAt('two', tally)).toEqual({ step: 'two' });
    const error = { kind: 'throttled' as const, retryAfter: 1 };
    expect(afterFailure(error, { kind: 'invisible' }, { ...late, tally })).toEqual({ over: 'held_back' });
  });
});

describe('a failed attempt', () => {
  it('of a platform is sorted by its outcome, and keeps what was said', () => {
    const detail = { status: 400, upstream: 'InvalidRequest 400' };
    const error = new PlatformError('refused', 'invalid_request', 'No.', detail);
    const code = 'platform.bluesky.invalid_request';
    expect(platformFailure('bluesky', error)).toMatchObject({ code, category: 'validation', ...detail });
    expect(attemptFailureOf('bluesky', error)).toEqual({ reported: platformFailure('bluesky', error) });
    expect(attemptFailureOf('bluesky', new PlatformError('unknown', 'api_error', 'Hm.'))).toHaveProperty('again');
    expect(attemptFailureOf('bluesky', new TypeError('bug'))).toBeUndefined();
  });

  it.each([
    ['connect', false, 'not_sent'],
    ['timeout', true, 'unknown'],
    ['refused_address', false, undefined],
    ['bad_url', false, undefined],
    ['too_large', true, undefined],
    ['protocol', true, undefined],
  ] as const)('of a media address, %s (sent: %s), is %s', (kind, sent, outcome) => {
    const cause = new OutboundError(kind, 'media.test', { sent });
    const found = attemptFailureOf(
      'bluesky',
      new ApiError('validation.field_invalid', { message: 'media: no.', cause }),
    )!;
    expect(found.again?.kind).toEqual(outcome);
    expect(found.reported.code).toBe('validation.field_invalid');
    expect(found.reported.caused_by).toBe('user');
  });
});

describe('a host of media', () => {
  it.each(['unknown', 'throttled'] as const)('that was %s is asked again, and blamed when it is over', (outcome) => {
    const cause = new PlatformError(outcome, 'api_error', 'The host answers with status 503.', { retryAfter: 7 });
    const found = attemptFailureOf(
      'bluesky',
      new ApiError('validation.field_invalid', { message: 'media: no.', cause }),
    )!;
    expect([found.again, found.reported.code]).toEqual([cause, 'validation.field_invalid']);
  });
});

describe('what a target publishes', () => {
  const target = (overrides: object) => ({ platform: 'bluesky' as const, page_id: null, overrides });

  it('is the post with the target’s own words over it', () => {
    const content = { ...contentOf('All'), platform_data: { bluesky: { a: 1, b: 1 } } };
    const post = outgoing(content, target({ text: 'Mine', platform_data: { b: 2 } }), new Map());
    expect(post).toMatchObject({ text: 'Mine', options: { a: 1, b: 2 }, segments: [] });
  });

  it('begins with the first segment when the post itself is empty', () => {
    const content = { ...contentOf(undefined), segments: [{ text: 'One' }, { text: 'Two' }] };
    expect(outgoing(content, target({}), new Map())).toMatchObject({ text: 'One', segments: [{ text: 'Two' }] });
    expect(hasContent(content)).toBe(true);
    expect(hasContent({ ...content, segments: [{ text: ' ' }] })).toBe(false);
  });

  it('has a fingerprint of account, page, words and media', () => {
    const print = (text: string, account = 'a', page?: string) => fingerprint(contentOf(text), account, page, {});
    expect(print('x')).toBe(print('x'));
    expect(new Set([print('x'), print('y'), print('x', 'b'), print('x', 'a', 'p')]).size).toBe(4);
  });
});

describe('the rules of a platform', () => {
  it.each([
    ['graphemes', 2],
    ['chars', 6],
    ['utf16', 9],
    ['bytes', 20],
  ] as const)('count in %s', (mode, length) => expect(lengthOf('👩‍👩‍👧é', mode)).toBe(length));

  it('name every problem', () => {
    const platform = publishingPlatform(makePostNetwork(), 'bluesky', {});
    const media = Array.from({ length: 5 }, () => ({
      ref: 'x',
      kind: 'image' as const,
      content_type: 'image/gif',
      size_bytes: 2000,
    }));
    const segment = { text: '', media: [] };
    const post = {
      text: 'x'.repeat(101),
      media,
      segments: [segment, segment, segment],
      visibility: 'private',
      first_comment: 'Hi',
      options: {},
    };
    const messages = issuesOf(platform, post, {
      check: makeTextCheck(),
      maxBytes: 1_000_000,
      attached: [],
      unreachable: undefined,
    }).map(({ field, message, segment_index }) =>
      [field, segment_index, message].filter((part) => part !== undefined).join(': '),
    );
    expect(messages).toEqual([
      'text: exceeds 100 character limit (101/100)',
      'media: takes at most 4 media items (5/4)',
      ...media.flatMap((_, at) => [
        `media.${at}: type image/gif is not supported (image/png)`,
        `media.${at}: exceeds 1000 bytes (2000/1000)`,
      ]),
      'visibility: must be one of: public',
      'first_comment: is not supported',
      'segments: a thread has at most 3 posts',
      'text: 0: is empty',
      'text: 1: is empty',
      'text: 2: is empty',
    ]);
  });
});
