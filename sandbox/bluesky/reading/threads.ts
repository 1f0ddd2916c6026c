import type { Store } from '../../store.ts';
import { has } from '../../atproto/formats.ts';
import type { RecordRow } from '../../atproto/records.ts';
import type { Relations } from './relations.ts';
import { postAt } from '../uris.ts';
import type { Views } from './views.ts';
import { invalid, query, required, whole, type Method } from '../../atproto/xrpc.ts';

const MOST_NODES = 1000;

/** A thread as the viewer sees it. Hidden replies are included, because apps collapse them by the gate. */
export function threadMethods({ db }: Store, views: Views, relations: Relations): Readonly<Record<string, Method>> {
  const filed = db.prepare(
    `select 1 from bsky_link where did = ? and collection = ? and rkey = ? and kind = 'outside'`,
  );
  const isOutside = ({ did, collection, rkey }: RecordRow) => filed.get(did, collection, rkey) !== undefined;

  function makeThread(anchor: RecordRow, viewer: string) {
    const root = views.rootUri(anchor);
    const starter = postAt(root)?.who ?? '';
    let left = MOST_NODES;

    function node(row: RecordRow): object {
      const rootAuthorLike = relations.link(starter, 'like', views.uri(row));
      return {
        $type: 'app.bsky.feed.defs#threadViewPost',
        post: views.post(row, viewer),
        threadContext: { ...(rootAuthorLike && { rootAuthorLike }) },
      };
    }

    function below(row: RecordRow, levels: number): object[] | undefined {
      // The last level has no list, because an empty one would mean that there are no replies.
      if (levels < 1) return undefined;
      const rows = views.replies(views.uri(row), Math.max(0, left));
      left -= rows.length;
      return rows.flatMap((reply) => {
        const elsewhere = views.rootUri(reply) !== root;
        if (elsewhere || relations.blocked(reply.did, row.did)) return [];
        if (relations.blocked(viewer, reply.did)) return [views.blockedPost(views.uri(reply), reply.did, viewer)];
        const replies = below(reply, levels - 1);
        return [{ ...node(reply), ...(replies && { replies }) }];
      });
    }

    function above(row: RecordRow, levels: number): object | undefined {
      const uri = levels > 0 ? views.parentUri(row) : undefined;
      if (uri === undefined) return undefined;
      const found = views.rowAt(uri);
      if (found === undefined) return views.missing(uri);
      if (relations.blocked(row.did, found.did) || relations.blocked(viewer, found.did))
        return views.blockedPost(uri, found.did, viewer);
      if (views.rootUri(found) !== root) return undefined;
      const parent = above(found, levels - 1);
      return { ...node(found), ...(parent && { parent }) };
    }

    return { root, node, below, above };
  }

  const getPostThread = query({
    auth: 'access',
    note: ({ params }) => params.get('uri') ?? '',
    run({ params, session }) {
      const uri = required(params, 'uri');
      if (!has('at-uri', uri)) throw invalid(`Invalid AT URI (got ${JSON.stringify(uri.slice(0, 128))}) at $.uri`);
      const depth = whole(params, 'depth', { min: 0, max: 1000, or: 6 });
      const height = whole(params, 'parentHeight', { min: 0, max: 1000, or: 80 });
      const anchor = views.rowAt(uri);
      if (anchor === undefined) throw invalid(`Post not found: ${uri}`, 'NotFound');
      const { root, node, below, above } = makeThread(anchor, session.did);
      const threadgate = views.gateView(root);
      const answer = (thread: object) => ({ json: { thread, ...(threadgate && { threadgate }) } });
      if (relations.blocked(session.did, anchor.did))
        return answer(views.blockedPost(views.uri(anchor), anchor.did, session.did));
      if (isOutside(anchor)) return answer(node(anchor));
      const [parent, replies] = [above(anchor, height), below(anchor, depth)];
      return answer({ ...node(anchor), ...(parent && { parent }), ...(replies && { replies }) });
    },
  });

  return Object.freeze({ 'app.bsky.feed.getPostThread': getPostThread });
}
