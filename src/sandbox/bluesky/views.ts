import type { Database } from 'better-sqlite3';
import { wireTime } from '../../kernel/clock.ts';
import { asText, isObject } from './check.ts';
import type { People, Person } from './people.ts';
import { uriOf } from './records.ts';
import type { RecordRow, Records } from './records.ts';

const POST = 'app.bsky.feed.post';

/** Where a blob can be looked at. */
export const blobPath = (did: string, cid: string): string =>
  `/xrpc/com.atproto.sync.getBlob?did=${encodeURIComponent(did)}&cid=${encodeURIComponent(cid)}`;

const linkOf = (blob: unknown): string | undefined => {
  const ref = isObject(blob) ? blob['ref'] : undefined;
  return isObject(ref) && typeof ref['$link'] === 'string' ? ref['$link'] : undefined;
};
const objects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The pictures of a post's embed, for views and pages alike. */
export function picturesIn(
  record: Record<string, unknown>,
): readonly { cid: string; alt: string; aspectRatio: unknown }[] {
  const embed = record['embed'];
  const media = isObject(embed) && isObject(embed['media']) ? embed['media'] : embed;
  if (!isObject(media)) return [];
  return objects(media['images']).flatMap(({ image, alt, aspectRatio }) => {
    const cid = linkOf(image);
    return cid === undefined ? [] : [{ cid, alt: asText(alt), aspectRatio }];
  });
}

/** Draws people and posts in the shapes apps are given. */
export function makeViews(db: Database, people: People, records: Records, base: () => string) {
  const countTo = db.prepare('select kind, count(*) as n from bsky_link where target = ? group by kind');
  const countFrom = db.prepare('select count(*) as n from bsky_record where did = ? and collection = ?');
  const ownLink = db.prepare(
    'select collection, rkey from bsky_link where target = ? and kind = ? and did = ? limit 1',
  );
  const url = (did: string, cid: string) => `${base()}${blobPath(did, cid)}`;

  /** The post behind a URI; posts only. */
  function rowAt(uri: unknown): RecordRow | undefined {
    const [, did, rkey] = /^at:\/\/([^/]+)\/app\.bsky\.feed\.post\/([^/]+)$/.exec(String(uri)) ?? [];
    const person = did === undefined ? undefined : people.find(did);
    return person === undefined || rkey === undefined ? undefined : records.get(person.did, POST, rkey);
  }
  const uri = (row: RecordRow) => uriOf(row.did, row.collection, row.rkey);
  const missing = (at: string) => ({ $type: 'app.bsky.feed.defs#notFoundPost', uri: at, notFound: true });

  function profileBasic(person: Person) {
    const row = records.get(person.did, 'app.bsky.actor.profile', 'self');
    const record = row === undefined ? {} : (JSON.parse(row.json) as Record<string, unknown>);
    const avatar = linkOf(record['avatar']);
    return {
      did: person.did,
      handle: person.handle,
      displayName: typeof record['displayName'] === 'string' ? record['displayName'] : person.display_name,
      ...(avatar !== undefined && { avatar: url(person.did, avatar) }),
      viewer: { muted: false, blockedBy: false },
      labels: [],
      createdAt: wireTime(person.created_at),
    };
  }

  function profileDetailed(person: Person, viewer: string) {
    const row = records.get(person.did, 'app.bsky.actor.profile', 'self');
    const record = row === undefined ? {} : (JSON.parse(row.json) as Record<string, unknown>);
    const count = (collection: string) => (countFrom.get(person.did, collection) as { n: number }).n;
    const following = ownLink.get(person.did, 'follow', viewer) as { collection: string; rkey: string } | undefined;
    const { viewer: seen, ...basic } = profileBasic(person);
    return {
      ...basic,
      ...(typeof record['description'] === 'string' && { description: record['description'] }),
      followersCount: counts(person.did)['follow'] ?? 0,
      followsCount: count('app.bsky.graph.follow'),
      postsCount: count(POST),
      indexedAt: wireTime(row?.indexed_at ?? person.created_at),
      viewer: { ...seen, ...(following && { following: uriOf(viewer, following.collection, following.rkey) }) },
    };
  }

  const counts = (target: string): Record<string, number> =>
    Object.fromEntries((countTo.all(target) as { kind: string; n: number }[]).map(({ kind, n }) => [kind, n]));

  function mediaView(did: string, embed: Record<string, unknown>): object | undefined {
    switch (embed['$type']) {
      case 'app.bsky.embed.images':
        return {
          $type: 'app.bsky.embed.images#view',
          images: picturesIn({ embed }).map(({ cid, alt, aspectRatio }) => ({
            thumb: url(did, cid),
            fullsize: url(did, cid),
            alt,
            ...(aspectRatio !== undefined && { aspectRatio }),
          })),
        };
      case 'app.bsky.embed.video': {
        const cid = linkOf(embed['video']);
        if (cid === undefined) return undefined;
        const { alt, aspectRatio } = embed;
        return {
          $type: 'app.bsky.embed.video#view',
          cid,
          playlist: url(did, cid),
          ...(alt !== undefined && { alt }),
          ...(aspectRatio !== undefined && { aspectRatio }),
        };
      }
      case 'app.bsky.embed.external': {
        const { thumb, ...rest } = isObject(embed['external']) ? embed['external'] : {};
        const cid = linkOf(thumb);
        return {
          $type: 'app.bsky.embed.external#view',
          external: { ...rest, ...(cid !== undefined && { thumb: url(did, cid) }) },
        };
      }
      default:
        return undefined;
    }
  }

  function quoteView(quoted: unknown): object {
    const at = isObject(quoted) ? String(quoted['uri']) : '';
    const row = rowAt(at);
    const author = row && people.byDid(row.did);
    if (row === undefined || author === undefined)
      return { $type: 'app.bsky.embed.record#viewNotFound', uri: at, notFound: true };
    return {
      $type: 'app.bsky.embed.record#viewRecord',
      uri: uri(row),
      cid: row.shown_cid,
      author: profileBasic(author),
      value: JSON.parse(row.shown_json) as unknown,
      labels: [],
      ...tally(uri(row)),
      indexedAt: wireTime(row.indexed_at),
    };
  }

  function embedView(did: string, embed: unknown): object | undefined {
    if (!isObject(embed)) return undefined;
    if (embed['$type'] === 'app.bsky.embed.record')
      return { $type: 'app.bsky.embed.record#view', record: quoteView(embed['record']) };
    if (embed['$type'] !== 'app.bsky.embed.recordWithMedia') return mediaView(did, embed);
    const record = isObject(embed['record']) ? embed['record']['record'] : undefined;
    const media = isObject(embed['media']) ? mediaView(did, embed['media']) : undefined;
    return {
      $type: 'app.bsky.embed.recordWithMedia#view',
      record: { record: quoteView(record) },
      ...(media && { media }),
    };
  }

  function tally(at: string) {
    const found = counts(at);
    return {
      bookmarkCount: 0,
      replyCount: found['reply'] ?? 0,
      repostCount: found['repost'] ?? 0,
      likeCount: found['like'] ?? 0,
      quoteCount: found['quote'] ?? 0,
    };
  }

  function post(row: RecordRow, viewer: string): object {
    const at = uri(row);
    const author = people.byDid(row.did);
    const record = JSON.parse(row.shown_json) as Record<string, unknown>;
    const embed = embedView(row.did, record['embed']);
    const mine = (kind: string) => {
      const found = ownLink.get(at, kind, viewer) as { collection: string; rkey: string } | undefined;
      return found && { [kind]: uriOf(viewer, found.collection, found.rkey) };
    };
    return {
      $type: 'app.bsky.feed.defs#postView',
      uri: at,
      cid: row.shown_cid,
      author: author && profileBasic(author),
      record,
      ...(embed && { embed }),
      ...tally(at),
      indexedAt: wireTime(row.indexed_at),
      viewer: { ...mine('like'), ...mine('repost'), bookmarked: false, threadMuted: false, embeddingDisabled: false },
      labels: [],
    };
  }

  function refs(row: RecordRow): { root?: string; parent?: string } {
    const { reply } = JSON.parse(row.shown_json) as { reply?: unknown };
    const at = (key: string) => (isObject(reply) && isObject(reply[key]) ? String(reply[key]['uri']) : undefined);
    const [root, parent] = [at('root'), at('parent')];
    return { ...(root !== undefined && { root }), ...(parent !== undefined && { parent }) };
  }

  function replyOf(row: RecordRow, viewer: string): object | undefined {
    const { root, parent } = refs(row);
    if (root === undefined || parent === undefined) return undefined;
    const shown = (at: string) => {
      const found = rowAt(at);
      return found === undefined ? missing(at) : post(found, viewer);
    };
    return { root: shown(root), parent: shown(parent) };
  }

  return Object.freeze({
    rowAt,
    uri,
    missing,
    profileBasic,
    profileDetailed,
    post,
    replyOf,
    parentUri: (row: RecordRow) => refs(row).parent,
  });
}
