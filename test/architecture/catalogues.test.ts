import { describe, expect, it } from 'vitest';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { ACTION_EVENT_DATA, ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { PLANS } from '#kernel/plans.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { SCOPES, WORKSPACE_SCOPES } from '#kernel/scopes.ts';
import {
  OWN_ERRORS,
  PLATFORM_STATUSES,
  SCOPE_NAMES,
  CONTRACT_ERRORS,
  CONTRACT_EVENTS,
  CONTRACT_HISTORY,
  CONTRACT_NAMESPACES,
  CONTRACT_PLANS,
  CONTRACT_RESULT_CODES,
  CONTRACT_SLUGS,
} from './contract-tables.ts';

const NEVER_ANSWERED = 0;

describe('the error catalogue', () => {
  it('is the contract’s plus our own, with their statuses', () => {
    const agreed = [...CONTRACT_ERRORS, ...OWN_ERRORS, ...CONTRACT_RESULT_CODES.map((code) => [-1, code] as const)];
    const expected = Object.fromEntries(
      agreed.map(([status, code]) => [code, status === -1 ? NEVER_ANSWERED : status]),
    );
    expect(Object.keys(expected)).toHaveLength(agreed.length);
    const ours = Object.fromEntries(Object.entries(ERRORS).map(([code, [status]]) => [code, status]));
    expect(ours).toEqual(expected);
  });

  it('stays inside the namespaces of the contract', () => {
    const outside = Object.keys(ERRORS).filter((code) => !CONTRACT_NAMESPACES.includes(code.split('.')[0]!));
    expect(outside).toEqual([]);
  });

  it('knows what platforms refuse', () => {
    const ours = Object.fromEntries(Object.entries(PLATFORM_REASONS).map(([reason, [status]]) => [reason, status]));
    expect(ours).toEqual(PLATFORM_STATUSES);
  });

  it('says everything in sentences', () => {
    for (const [code, [, message]] of [...Object.entries(ERRORS), ...Object.entries(PLATFORM_REASONS)])
      expect([code, message]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
  });
});

describe('the other catalogues', () => {
  it('have the events of the contract, in its order', () => {
    expect(Object.entries(EVENTS).map(([name, [category]]) => [name, category])).toEqual(CONTRACT_EVENTS);
  });

  it('have events of our own, of which everything is told that is declared', () => {
    expect(Object.keys(ACTION_EVENTS).filter((name) => Object.hasOwn(EVENTS, name))).toEqual([]);
    expect(ACTION_EVENT_DATA.required.toSorted()).toEqual(Object.keys(ACTION_EVENT_DATA.properties).toSorted());
  });

  it('have its platforms', () => expect([...PLATFORMS].sort()).toEqual([...CONTRACT_SLUGS].sort()));

  it('have its scopes', () => {
    expect(Object.keys(SCOPES)).toEqual(SCOPE_NAMES);
    expect([...WORKSPACE_SCOPES].sort()).toEqual(['analytics:read', 'webhooks:manage']);
  });

  it('have its plans', () => {
    const ours = Object.values(PLANS).map(({ tier, name, limits, monthly_price_usd }) => [
      tier,
      [
        name,
        limits.profiles,
        limits.posts_per_month,
        limits.interactions_per_month,
        limits.storage_bytes,
        monthly_price_usd,
      ],
    ]);
    expect(Object.fromEntries(ours)).toEqual(CONTRACT_PLANS);
    const history = Object.values(PLANS).map(({ tier, limits, exports }) => [
      tier,
      [
        limits.exports_per_month,
        exports.videos,
        exports.transcripts,
        exports.vision,
        limits.event_retention_days,
        exports.report_days,
        exports.cooldown_seconds,
      ],
    ]);
    expect(Object.fromEntries(history)).toEqual(CONTRACT_HISTORY);
  });

  it('enforce posts and interactions on Free alone', () => {
    expect(
      Object.values(PLANS)
        .filter(({ enforced }) => enforced)
        .map(({ tier }) => tier),
    ).toEqual(['free']);
  });
});
