import { describe, expect, it } from 'vitest';
import { platforms } from '../../src/platforms/index.ts';
import { plaza } from '../made-up/platform/index.ts';
import { kindsOf } from '../../src/platforms/lookup.ts';
import { supportOf } from '../../src/platforms/support.ts';

/** What an account of the made-up platform can do that was connected by a key. */
const PLAZA_BY_KEY = [
  'connect by consent',
  'connect by our form',
  'exchange of a code',
  'refresh without the person',
  'revoke on disconnect',
  'pages',
  'sync of posts',
  'creator info',
  'remaining limits',
  'post text',
  'post document',
  'post images',
  'post video',
  'several images',
  'thread',
  'first comment',
  'unpublish',
  'post metrics',
];

/** The support matrices of the contract (platforms-a §7, platforms-b §8), in the words of the reference. */
const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  facebook: [
    'connect by consent',
    'exchange of a code',
    'revoke on disconnect',
    'pages',
    'sync of posts',
    'post text',
    'post images',
    'post video',
    'several images',
    'first comment',
    'unpublish',
    'post metrics',
    'list comments',
    'list replies',
    'reply to a comment',
    'delete a comment',
    'hide a comment',
    'like a comment',
    'private reply',
    'list mentions',
    'reply to a mention',
    'read conversations',
    'send a message',
    'message with image',
    'message with video',
    'message with audio',
    'message with file',
    'attachment by platform id',
    'buttons in a message',
    'cards',
    'quick replies',
    'reply to a message',
    'mark as read',
    'inbox by push',
  ],
  threads: [
    'connect by consent',
    'exchange of a code',
    'refresh without the person',
    'revoke on disconnect',
    'sync of posts',
    'remaining limits',
    'post text',
    'post images',
    'post video',
    'several images',
    'thread',
    'first comment',
    'unpublish',
    'post metrics',
    'list comments',
    'list replies',
    'reply to a comment',
    'delete a comment',
    'hide a comment',
    'list mentions',
    'reply to a mention',
    'inbox by push',
  ],
  bluesky: [
    'connect by our form',
    'refresh without the person',
    'revoke on disconnect',
    'sync of posts',
    'remaining limits',
    'post text',
    'post images',
    'post video',
    'several images',
    'thread',
    'first comment',
    'unpublish',
    'post metrics',
    'list comments',
    'list replies',
    'reply to a comment',
    'delete a comment',
    'hide a comment',
    'like a comment',
    'list mentions',
    'reply to a mention',
    'read conversations',
    'send a message',
    'mark as read',
    'inbox by polling',
  ],
  [`${plaza.slug}:key`]: PLAZA_BY_KEY,
  [plaza.slug]: [
    ...PLAZA_BY_KEY,
    'list comments',
    'list replies',
    'reply to a comment',
    'delete a comment',
    'hide a comment',
    'like a comment',
    'private reply',
    'list reviews',
    'reply to a review',
    'list mentions',
    'reply to a mention',
    'read conversations',
    'send a message',
    'buttons in a message',
    'mark as read',
    'inbox by push',
    'inbox by polling',
  ],
};

const KINDS = new Map([...platforms.values(), plaza].flatMap(kindsOf));

describe('what a platform supports', () => {
  it('is told of every platform there is', () => {
    expect([...KINDS.keys()].toSorted()).toEqual(Object.keys(CONTRACT).toSorted());
  });

  it.each(Object.entries(CONTRACT))('is what the contract says of %s, no more and no less', (slug, expected) => {
    const support = supportOf(KINDS.get(slug)!);
    const yes = Object.entries(support).flatMap(([name, can]) => (can ? [name] : []));
    expect(yes.toSorted()).toEqual(expected.toSorted());
  });
});
