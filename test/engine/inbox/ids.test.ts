import { describe, expect, it } from 'vitest';
import { interactionId, readInteractionId } from '../../../src/engine/inbox/ids.ts';

describe('ids of interactions', () => {
  it.each(['1', '123_456', 'at://did:plc:abc/app.bsky.feed.post/3k', 'ünï:çödé'])(
    'can be read back: %s',
    (platformId) => {
      const id = interactionId('comment', 'bluesky', platformId);
      expect(readInteractionId('comment', id)).toEqual({ platform: 'bluesky', platformId });
      expect(readInteractionId('review', id)).toBeUndefined();
    },
  );

  it.each(['', 'a\0b', 'x'.repeat(501)])('stand for nothing that no store would hold', (platformId) => {
    expect(readInteractionId('comment', interactionId('comment', 'bluesky', platformId))).toBeUndefined();
  });

  it.each(['cmt_', 'cmt_!!!', 'cmt_bXlzcGFjZTox', 'cmt_Ymx1ZXNreQ'])('are no others: %s', (id) => {
    expect(readInteractionId('comment', id)).toBeUndefined();
  });
});
