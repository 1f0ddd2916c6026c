import type { Database } from 'better-sqlite3';
import { isoTime } from '#kernel/clock.ts';
import { isObject } from '../../kit/api/checks.ts';
import { blobPath, linkOf, mediaView } from './embeds.ts';
import type { Gates } from './gates.ts';
import type { People, Person } from '../../atproto/people.ts';
import type { RecordRow, Records } from '../../atproto/records.ts';
import type { Relations } from './relations.ts';
import { POST, postAt } from '../uris.ts';
import { uriOf } from '../../atproto/formats.ts';

export type ViewsWorld = Readonly<{
  db: Database;
  people: People;
  records: Records;
  relations: Relations;
  gates: Gates;
  base: () => string;
}>;
export type Views = ReturnType<typeof makeViews>;

function profileViews({ db, records, relations, base }: ViewsWorld) {
  // Two likes of the same person count once, two replies twice.
  const countTo = db.prepare(`
    select kind, case when kind in ('like', 'repost', 'follow') then count(distinct did) else count(*) end as n
    from bsky_link where target = ? group by kind`);

  const countFrom = db.prepare('select count(*) as n from bsky_record where did = ? and collection = ?');

  const url = (did: string, cid: string) => `${base()}${blobPath(did, cid)}`;

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
      createdAt: isoTime(person.created_at),
    };
  }

  function profileDetailed(person: Person, viewer: string) {
    const row = records.get(person.did, 'app.bsky.actor.profile', 'self');
    const record = row === undefined ? {} : (JSON.parse(row.json) as Record<string, unknown>);
    const count = (collection: string) => (countFrom.get(person.did, collection) as { n: number }).n;
    const following = relations.link(viewer, 'follow', person.did);
    const followedBy = relations.link(person.did, 'follow', viewer);
    const blocking = relations.link(viewer, 'block', person.did);
    const { viewer: seen, ...basic } = profileBasic(person);
    return {
      ...basic,
      ...(typeof record['description'] === 'string' && { description: record['description'] }),
      followersCount: counts(person.did)['follow'] ?? 0,
      followsCount: count('app.bsky.graph.follow'),
      postsCount: count(POST),
      indexedAt: isoTime(row?.indexed_at ?? person.created_at),
      viewer: {
        ...seen,
        blockedBy: relations.link(person.did, 'block', viewer) !== undefined,
        ...(blocking && { blocking }),
        ...(following && { following }),
        ...(followedBy && { followedBy }),
      },
    };
  }

  const counts = (target: string): Record<string, number> =>
    Object.fromEntries((countTo.all(target) as { kind: string; n: number }[]).map(({ kind, n }) => [kind, n]));

  return Object.freeze({ url, profileBasic, profileDetailed, counts });
}

const uri = (row: RecordRow) => uriOf(row.did, row.collection, row.rkey);

const missing = (at: string) => ({ $type: 'app.bsky.feed.defs#notFoundPost', uri: at, notFound: true });

function refs(row: RecordRow): { root?: string; parent?: string } {
  const { reply } = JSON.parse(row.shown_json) as { reply?: unknown };
  const at = (key: string) => (isObject(reply) && isObject(reply[key]) ? String(reply[key]['uri']) : undefined);
  const [root, parent] = [at('root'), at('parent')];
  return { ...(root !== undefined && { root }), ...(parent !== undefined && { parent }) };
}

const rootUri = (row: RecordRow): string => refs(row).root ?? uri(row);

function makeEmbeds(
  world: ViewsWorld,
  profileBasic: ReturnType<typeof profileViews>['profileBasic'],
  url: ReturnType<typeof profileViews>['url'],
  counts: ReturnType<typeof profileViews>['counts'],
) {
  const { people, records } = world;

  function rowAt(uri: unknown): RecordRow | undefined {
    const place = postAt(uri);
    const person = place && people.find(place.who);
    return place && person && records.get(person.did, POST, place.rkey);
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
      indexedAt: isoTime(row.indexed_at),
    };
  }

  function embedView(did: string, embed: unknown): object | undefined {
    if (!isObject(embed)) return undefined;
    if (embed['$type'] === 'app.bsky.embed.record')
      return { $type: 'app.bsky.embed.record#view', record: quoteView(embed['record']) };
    if (embed['$type'] !== 'app.bsky.embed.recordWithMedia') return mediaView(embed, (cid) => url(did, cid));
    const record = isObject(embed['record']) ? embed['record']['record'] : undefined;
    const media = isObject(embed['media']) ? mediaView(embed['media'], (cid) => url(did, cid)) : undefined;
    return {
      $type: 'app.bsky.embed.recordWithMedia#view',
      record: { record: quoteView(record) },
      ...(media && { media }),
    };
  }

  function tally(at: string) {
    const found = counts(at);
    return {
      replyCount: found['reply'] ?? 0,
      repostCount: found['repost'] ?? 0,
      likeCount: found['like'] ?? 0,
      quoteCount: found['quote'] ?? 0,
    };
  }

  return Object.freeze({ rowAt, embedView, tally });
}

export function makeViews(world: ViewsWorld) {
  const { db, people, relations, gates } = world;
  const { url, profileBasic, profileDetailed, counts } = profileViews(world);
  const repliesTo = db.prepare(`
    select r.* from bsky_link l join bsky_record r on r.did = l.did and r.collection = l.collection and r.rkey = l.rkey
    where l.target = ? and l.kind = 'reply' order by r.sort_at desc, r.rkey desc limit ?`);

  const { rowAt, embedView, tally } = makeEmbeds(world, profileBasic, url, counts);

  function gateView(root: string): object | undefined {
    const gate = gates.of(root);
    return gate && { ...gate, lists: [] };
  }

  function blockedPost(at: string, author: string, viewer: string): object {
    const blocking = relations.link(viewer, 'block', author);
    const blockedBy = relations.link(author, 'block', viewer) !== undefined;
    return {
      $type: 'app.bsky.feed.defs#blockedPost',
      uri: at,
      blocked: true,
      author: { did: author, viewer: { blockedBy, ...(blocking && { blocking }) } },
    };
  }

  function post(row: RecordRow, viewer: string): object {
    const at = uri(row);
    const author = people.byDid(row.did);
    const record = JSON.parse(row.shown_json) as Record<string, unknown>;
    const embed = embedView(row.did, record['embed']);
    const [like, repost] = [relations.link(viewer, 'like', at), relations.link(viewer, 'repost', at)];
    const root = rootUri(row);
    const gate = root === at ? gateView(at) : undefined;
    return {
      $type: 'app.bsky.feed.defs#postView',
      uri: at,
      cid: row.shown_cid,
      author: author && profileBasic(author),
      record,
      ...(embed && { embed }),
      ...tally(at),
      bookmarkCount: 0,
      indexedAt: isoTime(row.indexed_at),
      viewer: {
        ...(repost && { repost }),
        ...(like && { like }),
        bookmarked: false,
        threadMuted: false,
        ...(!gates.allows(viewer, root) && { replyDisabled: true }),
        embeddingDisabled: false,
      },
      labels: [],
      ...(gate && { threadgate: gate }),
    };
  }

  function replyOf(row: RecordRow, viewer: string): object | undefined {
    const { root, parent } = refs(row);
    if (root === undefined || parent === undefined) return undefined;
    const viewOf = (at: string) => {
      const found = rowAt(at);
      if (found === undefined) return missing(at);
      return relations.blocked(viewer, found.did) ? blockedPost(at, found.did, viewer) : post(found, viewer);
    };
    return { root: viewOf(root), parent: viewOf(parent) };
  }

  return Object.freeze({
    rowAt,
    uri,
    missing,
    profileBasic,
    profileDetailed,
    post,
    blockedPost,
    embedView,
    gateView,
    replyOf,
    rootUri,
    tally,
    replies: (at: string, limit: number) => repliesTo.all(at, limit) as RecordRow[],
    parentUri: (row: RecordRow) => refs(row).parent,
  });
}
