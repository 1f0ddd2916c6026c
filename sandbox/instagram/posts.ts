/** Posts of accounts, and posts of others that mention them. */
import { DAY } from '#kernel/clock.ts';
import { newNumber } from '../graph/ids.ts';
import { makeAuthored } from '../graph/authored.ts';
import type { Draft, Media } from './docs.ts';
import type { World } from './world.ts';

const MOST_LISTED = 10_000;

export type Posts = ReturnType<typeof makePosts>;

export function makePosts(world: World) {
  const authored = makeAuthored<'media', Media>(world, 'media');
  const own = (page: string) => authored.list({ page }).filter(({ author }) => author === undefined);
  const newest = (rows: readonly Media[]) => rows.filter(authored.isSeen).toReversed();
  const isStory = ({ product }: Media) => product === 'STORY';

  return Object.freeze({
    ...authored,
    create(page_id: string, draft: Draft, more: Partial<Media> = {}): Media {
      const id = `180${newNumber().slice(1)}`;
      return authored.keep({ comments_on: true, ...draft, ...authored.fresh(draft), id, page_id, ...more });
    },
    own,
    /** Newest first, without stories. */
    listed: (account: string) => newest(own(account).filter((one) => !isStory(one))).slice(0, MOST_LISTED),
    stories: (account: string) =>
      newest(own(account).filter((one) => isStory(one) && one.at + DAY > world.clock.now())),
    tagged: (account: string) => newest(authored.list({ page: account }).filter(({ tagged }) => tagged === true)),
  });
}
