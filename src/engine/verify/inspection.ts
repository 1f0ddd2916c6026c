import { makeCommenting } from './comment.ts';
import type { Use, VerifyDeps, Work } from './deps.ts';
import { eventually, type Made, readAgain, refusedCounts, skips } from './eventually.ts';
import { findPost } from './presence.ts';

/** Statuses of pages that a platform shows to browsers but not to servers. */
const CLOSED: ReadonlySet<number> = new Set([401, 403, 405, 429, 999]);

/** What can be done with a created post. */
export function makeInspection({ clock, calling: { bare } }: VerifyDeps) {
  const comment = makeCommenting({ clock });

  async function readBack(work: Work, use: Use, made: Made): Promise<void> {
    const { trail, platform } = work;
    if (skips(work, 'read', platform.posts!.list !== undefined)) return;
    await trail.check('read', 'it is among the newest posts, with the text that was sent', async () => {
      const found = await eventually(
        clock,
        () => findPost(work, use, made),
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
      if (found.size === 0) return { seen: 'the platform counts nothing yet', untried: true };
      const differs = refusedCounts(trail, found);
      return { seen: differs.length > 0 ? 'they are not' : 'they are', differs };
    });
  }

  return async function inspect(work: Work, use: Use, made: Made): Promise<void> {
    await readBack(work, use, made);
    await openPermalink(work, made);
    await comment(work, use, made);
    await measure(work, use, made);
  };
}
