import type { Clock } from '#kernel/clock.ts';
import type { ListedPost, OutgoingPost, Published } from '#platforms/posts.ts';
import { isSameText } from '#platforms/shared/settle.ts';
import type { Use, Work } from './deps.ts';
import { eventually, type Made, NEWEST } from './eventually.ts';

/** A created post among the newest ones. */
export async function findPost(
  { platform }: Work,
  use: Use,
  { post, published }: Made,
): Promise<ListedPost | undefined> {
  const { list, isSame } = platform.posts!;
  const { posts } = await use((call) => list!(call, { limit: NEWEST, pageId: post.page_id }));
  const { platform_post_id: id } = published;
  return posts.find((one) => one.platform_post_id === id || isSame?.(id, one) === true);
}

/** Checks whether a post exists whose state is unknown. */
export function makePresence({ clock }: Readonly<{ clock: Clock }>) {
  return Object.freeze({
    /** Finds, by its text, a post that may exist although the platform did not confirm it. */
    async lost(work: Work, use: Use, { text, page_id: pageId }: OutgoingPost): Promise<Published | undefined> {
      const { trail, platform } = work;
      const { list } = platform.posts!;
      if (list === undefined || platform.verification!.without?.read !== undefined) return undefined;
      return trail.check('what became of it', 'it is not among the newest posts', async () => {
        const look = async () => {
          const { posts } = await use((call) => list(call, { limit: NEWEST, pageId }));
          return posts.find((one) => isSameText(one.text, text));
        };
        const value = await eventually(clock, look, (one) => one !== undefined);
        return value ? { seen: 'it is there', differs: ['it was made all the same'], value } : { seen: 'it is not' };
      });
    },

    /** Whether a removed post is no longer there, as far as can be seen. */
    async gone(work: Work, use: Use, made: Made): Promise<boolean> {
      const { trail, platform } = work;
      const { without = {} } = platform.verification!;
      if (platform.posts!.list === undefined || without.read !== undefined) {
        trail.skip('gone', 'posts cannot be read, so only the answer to the removal counts');
        return true;
      }
      const isGone = await trail.check('gone', 'it is no longer among the newest posts', async () => {
        const found = await eventually(
          clock,
          () => findPost(work, use, made),
          (one) => one === undefined,
        );
        if (found === undefined) return { seen: 'it is not', value: true };
        return { seen: 'it is still there', differs: ['it is still there'], value: false };
      });
      return isGone ?? false;
    },
  });
}
