import type { Comments } from './comments.ts';
import type { Page } from '../../graph/docs.ts';
import type { Comment, Post } from '../docs.ts';
import { badParam, GraphError } from '../../graph/api/errors.ts';
import { within } from '../../graph/api/methods.ts';
import { ofType } from '../posts/post-node.ts';
import { requireWrite, requireRead } from '../../graph/oauth/tokens.ts';
import { drawList, drawOne, live, pageAt, seen, type Call, type Methods } from '../../graph/world.ts';
import { ACT, methodsOf, READ, type World } from '../world.ts';

const LONGEST = 8000;
const LARGEST_PICTURE = 10 * 1024 * 1024;
const CREATE =
  'attachment_id attachment_share_url attachment_url comment_privacy_value message source text tracking'.split(' ');
const CHANGE = ['is_hidden', 'message', 'attachment_id', 'attachment_url', 'attachment_share_url'];
const LIST = ['filter', 'order', 'live_filter', 'summary'];

const query = ({ params }: Call) => params.query;

function makeCommentLists(world: World, comments: Comments) {
  const { nodes, people } = world;
  const { postUnder, list, look, reactions, reaction } = comments;

  function about(call: Call, id: string): Post {
    const found = nodes.find(id);
    if (found?.kind === 'comment') seen(world, live(found.doc, id));
    const under = seen(world, live(postUnder(id), id));
    requireRead(call.actor, under.page_id, people, READ);
    return under;
  }

  function listComments(call: Call, id: string): object {
    about(call, id);
    const rows = list(id, query(call), call.frame.now);
    const answer = drawList(call, look, `${id}/comments`, within(call, rows));
    const order = call.params.text('order') ?? 'chronological';
    return call.params.flag('summary') === true
      ? { ...answer, summary: { order, total_count: rows.length, can_comment: true } }
      : answer;
  }

  const listReactions = (edgeName: string, type?: string) => (call: Call, id: string) => {
    about(call, id);
    const rows = ofType(reactions(id), type ?? call.params.text('type'));
    const answer = drawList(call, reaction, `${id}/${edgeName}`, rows);
    return call.params.flag('summary') === true ? { ...answer, summary: { total_count: rows.length } } : answer;
  };

  return Object.freeze({ listComments, listReactions });
}

function makeWriting(world: World, comments: Comments) {
  const { nodes, files, fetching, people, store } = world;
  const { postUnder, create, look, hide, edit } = comments;

  async function pictureOf({ params }: Call, page: Page): Promise<string | undefined> {
    const url = params.text('attachment_url');
    const upload = params.files.get('source');
    const photo = params.text('attachment_id');
    if (photo !== undefined) {
      const found = nodes.get('photo', photo);
      if (found === undefined || found.page_id !== page.id)
        throw badParam('Param attachment_id must be a valid photo id');
      return found.blob;
    }
    if (upload !== undefined) return (await files.keep(upload.bytes, upload.name)).id;
    if (url === undefined) return undefined;
    const blob = await fetching.media(url, LARGEST_PICTURE);
    if (blob === undefined || !blob.mime.startsWith('image/'))
      throw new GraphError(324, '(#324) Missing or invalid image file', { subcode: 2069019 });
    return blob.id;
  }

  async function post(call: Call, id: string): Promise<object> {
    const under = live(postUnder(id), id, 'post');
    if (nodes.find(id)?.kind === 'comment') live(nodes.get('comment', id), id, 'post');
    const page = pageAt(world, under.page_id);
    requireWrite(call.actor, page, people, ACT);
    const message = call.params.text('message') ?? '';
    if (message.length > LONGEST) throw badParam(`Param message must be at most ${LONGEST} characters long`);
    const attachment = await pictureOf(call, page);
    if (message.trim() === '' && attachment === undefined)
      throw badParam('Comment message, photo, video or sticker is required', { subcode: 1705 });
    const made = store.write(() =>
      create({ about: id, message, by_app: true, ...(attachment !== undefined && { attachment }) }),
    );
    const fields = call.params.text('fields');
    return fields === undefined ? { id: made.id } : drawOne(call, look, made);
  }

  function update({ params }: Call, { id, author, by_app }: Comment): void {
    const isHidden = params.flag('is_hidden');
    const message = params.text('message');
    if (isHidden !== undefined && author === undefined)
      throw badParam('This comment cannot be hidden', { subcode: 1446036 });
    if (message !== undefined && !by_app)
      throw new GraphError(200, '(#200) Only the author can change a comment', { status: 403 });
    if (isHidden !== undefined) hide(id, isHidden);
    if (message !== undefined) edit(id, message);
  }

  return Object.freeze({ post, update });
}

export function commentMethods(world: World, comments: Comments): Methods {
  const { store, nodes, people } = world;
  const { look, remove, react, postUnder } = comments;
  const { reads, changes } = methodsOf(world);
  const { post, update } = makeWriting(world, comments);
  const { listComments, listReactions } = makeCommentLists(world, comments);
  const like = (type: string | undefined) => (call: Call, id: string) => {
    const found = nodes.find(id);
    if (found?.kind === 'comment') live(found.doc, id, 'post');
    const under = live(postUnder(id), id, 'post');
    requireWrite(call.actor, pageAt(world, under.page_id), people, ACT);
    store.write(() => react(id, under.page_id, type));
    return { success: true };
  };

  const shared = Object.fromEntries(
    ['post', 'comment', 'photo', 'video'].flatMap((kind) => [
      [`GET ${kind}/comments`, { params: LIST, run: listComments }],
      [`POST ${kind}/comments`, { params: CREATE, run: post }],
      [`GET ${kind}/likes`, { params: [], run: listReactions('likes', 'LIKE') }],
      [`POST ${kind}/likes`, { params: ['tracking', 'feedback_source', 'nectar_module'], run: like('LIKE') }],
      [`DELETE ${kind}/likes`, { params: ['tracking', 'feedback_source', 'nectar_module'], run: like(undefined) }],
      [`GET ${kind}/reactions`, { params: ['type'], run: listReactions('reactions') }],
    ]),
  ) as Methods;

  return Object.freeze({
    ...shared,
    'GET comment': reads('comment', READ, [], (call, comment) => drawOne(call, look, comment)),
    'POST comment': changes('comment', ACT, CHANGE, update),
    'DELETE comment': changes('comment', ACT, [], (_call, { id }) => remove(id)),
  });
}
