/** Posts of accounts, and of others that mention them: how they are made, listed and taken away. */
import { newId, newNumber } from '../graph/ids.ts';
import { isLive } from './docs.ts';
import type { Draft, Media } from './docs.ts';
import type { World } from './world.ts';

const DAY = 86_400_000;
const MOST_LISTED = 10_000;

export type Posts = ReturnType<typeof makePosts>;

/** Posts as they are stored; what changes them is called inside a transaction. */
export function makePosts({ nodes, clock, settings }: World) {
  const own = (account: string) =>
    nodes.list('media', { page: account }).filter((one) => isLive(one) && one.author === undefined);
  const isShown = ({ seen_from }: Media) => seen_from <= clock.now();
  const newest = (rows: readonly Media[]) => rows.filter(isShown).toReversed();

  return Object.freeze({
    create(page_id: string, draft: Draft, more: Partial<Media> = {}): Media {
      const at = clock.now();
      return nodes.put('media', {
        by_app: false,
        comments_on: true,
        ...draft,
        id: `180${newNumber().slice(1)}`,
        at,
        page_id,
        shortcode: Buffer.from(newId().slice(-8)).toString('base64url'),
        views: 0,
        likes: [],
        seen_from: at + settings.get('read_lag_ms'),
        versions: [{ action: 'create', at, record: draft }],
        ...more,
      });
    },
    remove(id: string): void {
      const at = clock.now();
      const versions = [...(nodes.get('media', id)?.versions ?? []), { action: 'delete' as const, at, record: null }];
      nodes.change('media', id, { deleted_at: at, versions });
    },
    like(id: string, person: string, likes: boolean): Media {
      const all = new Set(nodes.get('media', id)?.likes);
      if (likes) all.add(person);
      else all.delete(person);
      return nodes.change('media', id, { likes: [...all] });
    },
    view: (id: string, times: number) =>
      nodes.change('media', id, { views: (nodes.get('media', id)?.views ?? 0) + times }),
    own,
    /** Newest first, without stories. */
    listed: (account: string) =>
      newest(own(account).filter(({ product }) => product !== 'STORY')).slice(0, MOST_LISTED),
    /** Those of the last day. */
    stories: (account: string) =>
      newest(own(account).filter(({ product, at }) => product === 'STORY' && at + DAY > clock.now())),
    /** Posts of others whose pictures show the account. */
    tagged: (account: string) =>
      newest(nodes.list('media', { page: account }).filter((one) => isLive(one) && one.tagged === true)),
    everything: () => nodes.list('media').filter(isLive),
  });
}
