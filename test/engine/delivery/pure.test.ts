import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deal, paceAfter, type Candidate } from '#engine/delivery/fairness.ts';
import { makeEndpointQueues } from '#engine/delivery/endpoint-queues.ts';
import { waitAfter, WAITS_S } from '#engine/delivery/schedule.ts';
import { fitsHeader, headersOf, keptText } from '#engine/delivery/signed-request.ts';

const SECRET = '0123456789abcdef'.repeat(4);
const BODY = '{"event":"post.deleted","data":{"brand_id":"brd_1","post_id":"post_1","was_status":"scheduled"}}';

const wire = {
  prefixes: ['X-Service', 'X-SocialAPI'],
  userAgent: 'rostra/1',
  secret: SECRET,
  timestamp: '1767225600',
  event: 'post.deleted',
  body: BODY,
  deliveryId: 'dlv_1',
};

describe('the headers of a webhook request', () => {
  it('carry the signatures of the published vectors under every prefix', () => {
    const headers = headersOf(wire);
    for (const prefix of wire.prefixes) {
      expect(headers).toMatchObject({
        [`${prefix}-Signature-V2`]: 'sha256=2e9d4d73475cac661d3e513768f85389456270e2be9f29256fc718d869edc990',
        [`${prefix}-Signature`]: 'sha256=83884379b34b811fe996261507be93949578f8ca6e4a9f358a55e940c56d1d61',
        [`${prefix}-Timestamp`]: '1767225600',
        [`${prefix}-Delivery`]: 'dlv_1',
        [`${prefix}-Event`]: 'post.deleted',
      });
    }
    expect(headers['Content-Type']).toBe('application/json');
    expect(Object.keys(headers)).toHaveLength(12);
  });

  it('are keyed with the characters of the secret, not with the bytes they spell', () => {
    const decoded = createHmac('sha256', Buffer.from(SECRET, 'hex')).update(`1767225600.${BODY}`).digest('hex');
    expect(decoded).toBe('ae4275c511aa433c606ac2f25ad7e90b0743c9d1a15e11a00f6be316c332ecf4');
    expect(headersOf(wire)['X-Service-Signature-V2']).not.toContain(decoded);
  });

  it('name no delivery on test sends', () => {
    const names = Object.keys(headersOf({ ...wire, deliveryId: undefined }));
    expect(names.filter((name) => name.endsWith('-Delivery'))).toEqual([]);
  });

  it('take what HTTP can carry', () => {
    expect(['post.deleted', 'my event!', 'caf\u00e9'].map(fitsHeader)).toEqual([true, true, true]);
    expect(['', 'a\nb', 'a\rb', 'a\0b', '\u20ac', '\u007f'].map(fitsHeader)).toEqual(Array(6).fill(false));
  });
});

describe('what is kept of a response', () => {
  it('is 4 KiB, without half characters', () => {
    expect(keptText(Buffer.from('x'.repeat(5000)))).toHaveLength(4096);
    expect(keptText(Buffer.from('x'.repeat(4095) + '\u20ac'))).toBe('x'.repeat(4095));
  });

  it('is text that both databases take', () => {
    expect(keptText(Buffer.from([0x61, 0x00, 0xff]))).toBe('a\u{fffd}\u{fffd}');
  });
});

describe('the schedule', () => {
  it('waits 14 hours in all, a tenth more or less', () => {
    expect(WAITS_S.reduce((sum, wait) => sum + wait)).toBe(14 * 3600);
    expect(WAITS_S.map((_, i) => waitAfter(i + 1, () => 0.5))).toEqual(WAITS_S.map((wait) => wait * 1000));
    expect(waitAfter(1, () => 0)).toBe(27_000);
    expect(waitAfter(1, () => 0.999_999)).toBeLessThan(33_000);
  });

  it('grows with every attempt even at the worst draw, and ends after the tenth', () => {
    for (let attempt = 1; attempt < WAITS_S.length; attempt += 1)
      expect(waitAfter(attempt + 1, () => 0)!).toBeGreaterThan(waitAfter(attempt, () => 0.999_999)!);
    expect(waitAfter(10, () => 0)).toBeUndefined();
  });
});

describe('the pace of an endpoint', () => {
  it('falls to one slot with a failure and doubles with each success', () => {
    let pace = paceAfter({ slots: 16, failing: false }, false, 16);
    expect(pace).toEqual({ slots: 1, failing: true });
    const grown = [1, 2, 3, 4, 5].map(() => (pace = paceAfter(pace, true, 16)).slots);
    expect(grown).toEqual([2, 4, 8, 16, 16]);
    expect(pace.failing).toBe(false);
  });
});

describe('dealing sockets', () => {
  const ask = (id: string, free = 16, failing = false): Candidate => ({ id, free, failing });
  const room = (total: number, failing = total) => ({ total, failing });

  it('gives everybody one before anybody gets two', () => {
    const shares = deal([ask('a'), ask('b'), ask('c', 1)], room(6), undefined);
    expect([...shares].join(' ')).toBe('a,3 b,2 c,1');
  });

  it('begins behind the one that came last', () => {
    const asks = [ask('a'), ask('b'), ask('c')];
    expect([...deal(asks, room(2), 'a').keys()]).toEqual(['b', 'c']);
    expect([...deal(asks, room(2), 'c').keys()]).toEqual(['a', 'b']);
  });

  it('keeps room that failing endpoints cannot take', () => {
    const shares = deal([ask('a', 1, true), ask('b', 1, true), ask('c', 1, true), ask('d')], room(4, 2), undefined);
    expect([...shares].join(' ')).toBe('a,1 b,1 d,2');
  });

  it('gives nothing without room', () => {
    expect(deal([ask('a')], room(0), undefined).size).toBe(0);
    expect(deal([ask('a', 0)], room(4), undefined).size).toBe(0);
  });
});

describe('the lanes', () => {
  const due = { id: 'a', slots: 16, failing: 0, open: 1, off: 0 } as const;
  const all = { failing: true };

  it('leave out the endpoints that fail when asked to', () => {
    const lanes = makeEndpointQueues({ slots: 16, sockets: 512, group: 64 });
    const failing = { ...due, id: 'b', slots: 1, failing: 1 as const };
    expect(lanes.shares([due, failing], { failing: false })).toEqual(new Map([['a', 16]]));
    lanes.begin(due, 'one');
    lanes.answered('a', false);
    expect(lanes.shares([due, failing], { failing: false }).size).toBe(0);
    expect(lanes.shares([due, failing], all).size).toBe(2);
  });

  it('know a pace better than what was read before an attempt ended', () => {
    const lanes = makeEndpointQueues({ slots: 16, sockets: 512, group: 64 });
    lanes.begin(due, 'one');
    expect(lanes.shares([due], all)).toEqual(new Map([['a', 15]]));
    lanes.answered('a', false);
    expect(lanes.shares([due], all)).toEqual(new Map([['a', 1]]));
    expect(lanes.unsaved(new Set(['a']))).toEqual([{ id: 'a', pace: { slots: 1, failing: true }, wasFailing: false }]);
    lanes.saved('a', { slots: 1, failing: true });
    expect(lanes.unsaved(new Set(['a']))).toEqual([]);
    expect(lanes.idle()).toBe(false);
    lanes.end('a', 'one');
    expect(lanes.idle()).toBe(true);
    expect(lanes.shares([due], all)).toEqual(new Map([['a', 1]]));
    lanes.prune();
    expect(lanes.shares([due], all)).toEqual(new Map([['a', 16]]));
  });

  it('keep half of the sockets from endpoints that fail', () => {
    const lanes = makeEndpointQueues({ slots: 16, sockets: 4, group: 64 });
    const failing = ['a', 'b', 'c'].map((id) => ({ ...due, id, slots: 1, failing: 1 as const }));
    const first = lanes.shares(failing, all);
    expect(first.size).toBe(2);
    for (const one of failing.filter(({ id }) => first.has(id))) lanes.begin(one, one.id);
    expect(lanes.shares(failing, all).size).toBe(0);
    expect(lanes.shares([...failing, { ...due, id: 'd' }], all)).toEqual(new Map([['d', 2]]));
  });
});
