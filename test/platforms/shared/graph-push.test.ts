import { describe, expect, it } from 'vitest';
import { hmacOf } from '#kernel/sign.ts';
import { graphPush } from '#platforms/graph/push.ts';
import { messagingEvent } from '#platforms/graph/push-messages.ts';
import type { PushRequest } from '#platforms/push.ts';

const gone = (id: string) => ({ kind: 'comment_gone', platform_id: id }) as const;

describe('pushes of a Graph API', () => {
  const push = graphPush({
    title: 'Instagram',
    owner: 'user',
    change: (field, value, { owner, at }) => gone(`${field} ${String(value)} ${owner} ${at}`),
    messaging: (value, pushing) => messagingEvent(value, pushing, undefined),
  });
  const request = (body: object, headers: Record<string, string> = {}): PushRequest => ({
    path: '',
    headers,
    body: Buffer.from(JSON.stringify(body)),
  });

  it('belong to an account where the platform has no pages', () => {
    const message = { sender: { id: '9' }, recipient: { id: '1' }, timestamp: 1e12, message: { mid: 'm', text: 'Hi' } };
    const pushed = push.read(
      request({
        entry: [{ id: '1', time: 1_700_000_000, changes: [{ field: 'comments', value: 7 }], messaging: [message] }],
      }),
    );
    expect(pushed).toMatchObject([
      { user: '1', event: gone('comments 7 1 1700000000000') },
      { user: '1', event: { kind: 'message', conversation: { platform_id: '9', participant: { id: '9', name: '' } } } },
    ]);
    expect((pushed[1]!.event as { conversation: object }).conversation).not.toHaveProperty('page_id');
  });

  it('may be signed with any secret of the app', () => {
    const signed = (secret: string) => {
      const scheme = { algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' } as const;
      const { body } = request({});
      return push.verify(request({}, { 'x-hub-signature-256': hmacOf(scheme, secret, body) }), {
        app: ['one', 'two'],
        now: () => 0,
      });
    };
    expect([signed('one'), signed('two'), signed('three'), signed('')]).toEqual([true, true, false, false]);
  });
});
