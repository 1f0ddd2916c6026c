import { describe, expect, it } from 'vitest';
import { envelope, explain, REASON_STEPS, stepOf } from '#kernel/envelope.ts';
import { ApiError, ERRORS, noSuch, orRefusal, PLATFORM_REASONS, type ErrorCode } from '#kernel/errors.ts';
import { refusePast } from '#engine/publishing/content/timing.ts';
import { forPeople } from '#kernel/people/sentences.ts';
import { toolsets } from '#tools/index.ts';
import { stepsIn } from '../harness/calls/next-step.ts';
import { sources } from './source.ts';

const steps = [
  ...Object.keys(ERRORS).map((code) => [code, stepOf(code as ErrorCode)] as const),
  ...Object.entries(REASON_STEPS),
];
/** Names of fields and of forms that a step may hold besides operations. */
const FIELDS =
  /^(?:account_id|brand_id|page_id|upload_url|upload_page|media_id|media_ids|account_ids|message_tag|confirm_not_published|client_id|redirect_uri|openapi|is_active|is_default|scheduled_at|publish_now|post_id)$/;
const operations = new Set(toolsets.flatMap(({ tools }) => tools.map(({ name }) => name)));

const messageOf = (error: unknown) => envelope(error as ApiError, 'req_1').error.message;

describe('the next step', () => {
  it.each(steps)('of %s is a short sentence that says what to do', (_, step) => {
    expect(step).toMatch(/^[A-Z].*\.$/);
    expect(step.length).toBeLessThanOrEqual(120);
    expect(stepsIn(step)).not.toEqual([]);
  });

  it('is there for everything the catalogue and the platforms know', () => {
    expect(steps).toHaveLength(Object.keys(ERRORS).length + Object.keys(PLATFORM_REASONS).length);
  });

  it('names operations that exist, also where the code says a step of its own', () => {
    const own = sources
      .filter(({ path }) => /^(?:src|tools|db|oauth)\//.test(path))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/next(?:: | = )(?:\w+ \?\s*)?(['`])(.+?)\1/g)].map(([, , step]) => [path, step!] as const),
      );
    expect(own.length).toBeGreaterThan(20);
    for (const [place, step] of [...steps, ...own]) {
      const words = [...step.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
      expect([place, words.filter((word) => !operations.has(word) && !FIELDS.test(word))]).toEqual([place, []]);
    }
    // What is tried again by itself leaves nothing to do.
    const toDo = own.filter(([, step]) => !/^(?:Next attempt|It is being tried)/.test(step));
    expect(toDo.filter(([, step]) => stepsIn(step).length === 0)).toEqual([]);
  });

  it('stands behind every message, whatever it says', () => {
    const message = 'limit: too large.';
    expect(messageOf(new ApiError('validation.field_invalid', { message }))).toBe(
      `${message} ${stepOf('validation.field_invalid')}`,
    );
    expect(messageOf(new ApiError('validation.field_invalid', { message, next: 'Send 5.' }))).toBe(
      `${message} Send 5.`,
    );
  });

  it('for people leaves out what the message itself says to programs', () => {
    const message = 'It has changed. Send the etag of get_action.';
    expect(explain(new ApiError('resource.conflict', { message }), 'person')).toBe(
      'It has changed. Load the page again, and choose what is possible now.',
    );
  });

  it('for people names no operation, field or route', () => {
    const codes = Object.keys(ERRORS) as ErrorCode[];
    const all = [...codes, ...Object.keys(PLATFORM_REASONS).map((reason) => `platform.x.${reason}` as ErrorCode)];
    const after = all.map((code) => {
      const error = new ApiError(code);
      return [code, explain(error, 'person').slice(error.message.length)];
    });
    expect(after.filter(([, step]) => /[a-z]_[a-z]|\/v1|call again|(?:GET|POST) \//.test(step!))).toEqual([]);
    const own = new ApiError('post.state_invalid', {
      message: 'It is public.',
      next: 'Take it down with unpublish_post.',
    });
    expect(explain(own, 'person')).toBe('It is public.');
    const listed = new ApiError('account.already_linked', { message: 'Taken.', next: 'Free it (disconnect_account).' });
    expect(explain(listed, 'person')).toBe('Taken. Free it.');
    expect(forPeople('It may be public. Check there. If it is missing, call retry_post.')).toBe(
      'It may be public. Check there.',
    );
    const named = 'Not sent. Look at summer_trip.jpg by @jane_doe (IMG_day_one.png).';
    expect(forPeople(`${named} See get_post.`)).toBe(named);
    const past = orRefusal(() => refusePast(0, 1_000_000)) as ApiError;
    expect(forPeople(explain(past, 'person'))).toBe(
      'The time 1970-01-01T00:00:00.000Z is in the past. Use a later time.',
    );
  });

  it.each([
    'account.reconnection_required',
    'account.no_active_page',
    'account.page_inactive',
    'platform.facebook.auth',
  ] as const)('for people of every role says who does what only administrators may: %s', (code) =>
    expect(explain(new ApiError(code), 'person')).toContain('administrator'),
  );

  it('of a thing that is not there is the operation that lists such things', () => {
    expect(messageOf(new ApiError('account.not_found', { meta: { resource: 'account', id: 'alice' } }))).toBe(
      'There is no account alice. Use an id from list_accounts.',
    );
    expect(messageOf(orRefusal(() => noSuch('webhook', 'wh_1')))).toBe(
      'There is no webhook wh_1. Use an id from list_webhooks.',
    );
    expect(messageOf(orRefusal(() => noSuch('redirect_uri', 'x'.repeat(65))))).toBe(
      'There is no such redirect uri. Use an id from list_redirect_uris.',
    );
  });

  it('is to wait as long as is said, unless that is very long', () => {
    expect(messageOf(new ApiError('http.429', { retryAfter: 11.2 }))).toBe('Too many requests. Try again in 12 s.');
    expect(messageOf(new ApiError('http.429', { retryAfter: 290 }))).toBe('Too many requests. Try again in 5 min.');
    const { message } = envelope(new ApiError('validation.post_limit_exhausted', { retryAfter: 2e6 }), 'req_1').error;
    expect(message).toContain('get_usage');
  });
});
