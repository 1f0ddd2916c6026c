import type { Database } from 'better-sqlite3';
import { isObject } from '../../kit/api/checks.ts';
import { mentionsIn } from '../lexicons.ts';
import type { Relations } from './relations.ts';
import { POST, postAt } from '../uris.ts';
import { uriOf } from '../../atproto/formats.ts';

type Gate = Readonly<{ uri: string; cid: string; record: Readonly<Record<string, unknown>> }>;

export type Gates = Readonly<{
  /** The rules for replies to a post; undefined if its author has set none. */
  of(rootUri: string): Gate | undefined;
  allows(did: string, rootUri: string): boolean;
  /** Whether the thread's author has hidden a reply. */
  hides(rootUri: string, replyUri: string): boolean;
}>;

const GATE = 'app.bsky.feed.threadgate';
const objects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

export function openGates(db: Database, relations: Relations): Gates {
  const find = db.prepare('select cid, json from bsky_record where did = ? and collection = ? and rkey = ?');
  const read = (did: string, collection: string, rkey: string) => {
    const row = find.get(did, collection, rkey) as { cid: string; json: string } | undefined;
    return row && { cid: row.cid, record: JSON.parse(row.json) as Record<string, unknown> };
  };

  function of(rootUri: string): Gate | undefined {
    const root = postAt(rootUri);
    const found = root && read(root.who, GATE, root.rkey);
    // A gate is valid only for the post of the same author with the same key.
    return root && found?.record['post'] === rootUri ? { uri: uriOf(root.who, GATE, root.rkey), ...found } : undefined;
  }

  function allows(did: string, rootUri: string): boolean {
    const root = postAt(rootUri);
    const allow = of(rootUri)?.record['allow'];
    // Without rules everybody may reply; with an empty list nobody may.
    if (root === undefined || root.who === did || !Array.isArray(allow)) return true;
    return objects(allow).some(({ $type }) => {
      if ($type === `${GATE}#mentionRule`)
        return mentionsIn(read(root.who, POST, root.rkey)?.record ?? {}).includes(did);
      if ($type === `${GATE}#followingRule`) return relations.link(root.who, 'follow', did) !== undefined;
      if ($type === `${GATE}#followerRule`) return relations.link(did, 'follow', root.who) !== undefined;
      // The simulator has no lists, so nobody is on one.
      return false;
    });
  }

  return Object.freeze({
    of,
    allows,
    hides(rootUri: string, replyUri: string) {
      const hidden = of(rootUri)?.record['hiddenReplies'];
      return Array.isArray(hidden) && hidden.includes(replyUri);
    },
  });
}
