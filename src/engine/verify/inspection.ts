import type { ListedPost } from '../../platforms/posts.ts';
import { makeCommenting } from './comment.ts';
import type { Use, VerifyDeps, Work } from './deps.ts';
import { eventually, type Made, NEWEST, readAgain, skips } from './looks.ts';

/** Statuses by which a platform says that it shows the page to others than this server. */
const CLOSED: ReadonlySet<number> = new Set([401, 403, 405, 429, 999]);

/** What can be done with a post that was made. */
export function makeInspection({ clock, bare }: VerifyDeps) {
  const comment = makeCommenting({ clock });

  async function find({ platform }: Work, use: Use, { post, published }: Made): Promise<ListedPost | undefined> {
    const { list, isSame } = platform.posts!;
    const { posts } = await use((call) => list!(call, { limit: NEWEST, pageId: post.page_id }));
    const { platform_post_id: id } = published;
    return posts.find((one) => one.platform_post_id === id || isSame?.(id, one) === true);
  }

  async function readBack(work: Work, use: Use, made: Made): Promise<void> {
    const { trail, platform } = work;
    if (skips(work, 'read', platform.posts!.list !== undefined)) return;
    await trail.check('read', 'it is among the newest posts, with the text that was sent', async () => {
      const found = await eventually(
        clock,
        () => find(work, use, made),
        (one) => one !== undefined,
      );
      return readAgain(found, made.post.text);
    });
  }

  async function openPermalink(work: Work, { published: { permalink } }: Made): Promise<void> {
    const { trail, recorder, platform, network } = work;
    if (skips(work, 'permalink', permalink !== undefined)) return;
    await trail.check('permalink', 'its page is there', async () => {
      const call = recorder.over(bare(platform, network));
      const request = {
        method: 'GET',
        url: permalink!,
        template: '/{permalink}',
        overflow: 'truncate',
        redirects: 3,
      } as const;
      const { status } = await call.http(request);
      if (status < 400) return { seen: `HTTP ${status}` };
      if (CLOSED.has(status)) return { seen: `HTTP ${status}: not shown without a login`, untried: true };
      return { seen: `HTTP ${status}`, differs: [`HTTP ${status}`] };
    });
  }

  async function measure(work: Work, use: Use, { post, published }: Made): Promise<void> {
    const { trail, platform } = work;
    const { metrics } = platform.posts!;
    if (skips(work, 'metrics', metrics !== undefined)) return;
    const { platform_post_id: id, metadata = {} } = published;
    await trail.check('metrics', 'its likes, comments and shares are counted', async () => {
      const found = await eventually(
        clock,
        () => use((call) => metrics!(call, [{ id, page_id: post.page_id, metadata }])),
        (counts) => counts.size > 0,
      );
      return found.size > 0 ? { seen: 'they are' } : { seen: 'the platform counts nothing yet', untried: true };
    });
  }

  return Object.freeze({
    async all(work: Work, use: Use, made: Made): Promise<void> {
      await readBack(work, use, made);
      await openPermalink(work, made);
      await comment(work, use, made);
      await measure(work, use, made);
    },

    /** Whether a post that was removed is gone, as far as that can be seen. */
    async gone(work: Work, use: Use, made: Made): Promise<boolean> {
      const { trail, platform } = work;
      const { without = {} } = platform.verification!;
      if (platform.posts!.list === undefined || without.read !== undefined) {
        trail.skip('gone', 'posts cannot be read, so the answer to the removal has to do');
        return true;
      }
      const isGone = await trail.check('gone', 'it is among the newest posts no more', async () => {
        const found = await eventually(
          clock,
          () => find(work, use, made),
          (one) => one === undefined,
        );
        if (found === undefined) return { seen: 'it is not', value: true };
        return { seen: 'it is still there', differs: ['it is still there'], value: false };
      });
      return isGone ?? false;
    },
  });
}
