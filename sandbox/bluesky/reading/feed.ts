import { isoTime } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import { isObject } from '../../kit/api/checks.ts';
import type { People, Person } from '../../atproto/people.ts';
import type { RecordRow } from '../../atproto/records.ts';
import { POST } from '../uris.ts';
import type { Views } from './views.ts';
import { invalid, query, required, whole, type Method } from '../../atproto/xrpc.ts';

const FILTERS: Readonly<Record<string, string>> = Object.freeze({
  posts_with_replies: '1',
  posts_no_replies: 'root_uri is null',
  posts_with_media: `media = 1 and collection = 'app.bsky.feed.post'`,
  posts_with_video: `shown_json like '%"app.bsky.embed.video"%' and collection = 'app.bsky.feed.post'`,
  posts_and_author_threads: `(root_uri is null or substr(root_uri, 1, length(did) + 6) = 'at://' || did || '/')`,
});

export function feedMethods({ db }: Store, people: People, views: Views): Readonly<Record<string, Method>> {
  const pages = new Map(
    Object.entries(FILTERS).map(([name, where]) => [
      name,
      db.prepare(`
        select * from bsky_record
        where did = @did and collection in ('app.bsky.feed.post', 'app.bsky.feed.repost') and ${where}
          and (sort_at, rkey) < (@at, @rkey)
        order by sort_at desc, rkey desc limit @limit`),
    ]),
  );
  function actor(identifier: string, orElse: string): Person {
    const person = people.find(identifier);
    if (person === undefined) throw invalid(orElse);
    return person;
  }

  function parseCursor(cursor: string | null): { at: number; rkey: string } {
    if (!cursor) return { at: Number.MAX_SAFE_INTEGER, rkey: '' };
    const [at, rkey, ...more] = cursor.split('::');
    if (!/^\d{1,15}$/.test(at ?? '') || !rkey || more.length > 0) throw invalid('Malformed cursor');
    return { at: Number(at), rkey };
  }

  const getProfile = query({
    auth: 'access',
    run: ({ params, session }) => ({
      json: views.profileDetailed(actor(required(params, 'actor'), 'Profile not found'), session.did),
    }),
  });

  function feedItem(row: RecordRow, viewer: string): object[] {
    if (row.collection === POST) {
      const reply = views.replyOf(row, viewer);
      return [{ post: views.post(row, viewer), ...(reply && { reply }) }];
    }
    const { subject } = JSON.parse(row.shown_json) as { subject?: unknown };
    const target = isObject(subject) ? views.rowAt(subject['uri']) : undefined;
    const by = people.byDid(row.did);
    if (target === undefined || by === undefined) return [];
    const indexedAt = isoTime(row.indexed_at);
    return [
      {
        post: views.post(target, viewer),
        reason: { $type: 'app.bsky.feed.defs#reasonRepost', by: views.profileBasic(by), indexedAt },
      },
    ];
  }

  const getAuthorFeed = query({
    auth: 'access',
    run({ params, session }) {
      const { did } = actor(required(params, 'actor'), 'Profile not found');
      const limit = whole(params, 'limit', { min: 1, max: 100, or: 50 });
      // The lexicon allows unknown filters, which mean the default one.
      const page = pages.get(params.get('filter') ?? '') ?? pages.get('posts_with_replies');
      const rows = (page?.all({ did, limit, ...parseCursor(params.get('cursor')) }) ?? []) as RecordRow[];
      const last = rows.length === limit ? rows.at(-1) : undefined;
      const feed = rows.flatMap((row) => feedItem(row, session.did));
      return { json: { ...(last && { cursor: `${last.sort_at}::${last.rkey}` }), feed } };
    },
  });

  const getPosts = query({
    auth: 'access',
    run({ params, session }) {
      const uris = params.getAll('uris');
      if (uris.length === 0) throw invalid('Missing required key "uris" at $');
      if (uris.length > 25) throw invalid(`array too big (maximum 25, got ${uris.length}) at $.uris`);
      const rows = [...new Set(uris)].flatMap((uri) => views.rowAt(uri) ?? []);
      return { json: { posts: rows.map((row) => views.post(row, session.did)) } };
    },
  });

  return Object.freeze({
    'app.bsky.actor.getProfile': getProfile,
    'app.bsky.feed.getAuthorFeed': getAuthorFeed,
    'app.bsky.feed.getPosts': getPosts,
  });
}
