import type { Database } from 'better-sqlite3';
import { uriOf } from '../../atproto/formats.ts';

export type Relations = Readonly<{
  /** The oldest record with which a person likes, reposts, follows or blocks the target. */
  link(by: string, kind: 'like' | 'repost' | 'follow' | 'block', target: string): string | undefined;
  /** Whether one of the two has blocked the other, which hides each from the other. */
  blocked(one: string, other: string): boolean;
}>;

export function openRelations(db: Database): Relations {
  const oldest = db.prepare(`
    select l.collection, l.rkey from bsky_link l
    join bsky_record r on r.did = l.did and r.collection = l.collection and r.rkey = l.rkey
    where l.target = ? and l.kind = ? and l.did = ? order by r.rowid limit 1`);
  const link: Relations['link'] = (by, kind, target) => {
    const found = oldest.get(target, kind, by) as { collection: string; rkey: string } | undefined;
    return found && uriOf(by, found.collection, found.rkey);
  };
  return Object.freeze({
    link,
    blocked: (one: string, other: string) =>
      link(one, 'block', other) !== undefined || link(other, 'block', one) !== undefined,
  });
}
