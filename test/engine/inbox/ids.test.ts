import { describe, expect, it } from 'vitest';
import { interactionId, readInteractionId } from '#engine/inbox/record/ids.ts';

describe('ids of interactions', () => {
  it.each(['1', '123_456', 'at://did:plc:abc/app.bsky.feed.post/3k', 'ünï:çödé'])(
    'can be read back: %s',
    (platformId) => {
      const id = interactionId('comment', 'bluesky', platformId);
      expect(readInteractionId('comment', id)).toEqual({ platform: 'bluesky', platformId });
      expect(readInteractionId('review', id)).toBeUndefined();
    },
  );

  it('can be read back whatever of the message they are', () => {
    const ids = [undefined, 'postback' as const].map((aspect) => interactionId('dm', 'facebook', 'm_1', aspect));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(readInteractionId('dm', id)).toEqual({ platform: 'facebook', platformId: 'm_1' });
  });

  it.each(['', 'a\0b', 'x'.repeat(501)])('stand for nothing that no store would hold', (platformId) => {
    expect(readInteractionId('comment', interactionId('comment', 'bluesky', platformId))).toBeUndefined();
  });

  it.each(['cmt_', 'cmt_!!!', 'cmt_bXlzcGFjZTox', 'cmt_Ymx1ZXNreQ', 'cmt_Ymx1ZXNreS9ub25lOjE'])(
    'are no others: %s',
    (id) => expect(readInteractionId('comment', id)).toBeUndefined(),
  );
});
