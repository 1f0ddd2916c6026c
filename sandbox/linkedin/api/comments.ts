import { z } from 'zod';
import { answer } from '../../kit/api/routes.ts';
import { shape, text } from '../../kit/api/shapes.ts';
import { REACTIONS, type Comment } from '../docs.ts';
import { denied, illegal, noActivity, notFound } from '../errors.ts';
import type { Target } from '../feed.ts';
import { isOrganization } from '../world.ts';
import { read, type Call, type Parts, type Routes } from './calls.ts';
import type { Assets } from './uploads.ts';

const Message = shape({ text: text(1250) });
const Body = shape({
  actor: z.string(),
  object: z.string(),
  message: Message,
  parentComment: z.string().optional(),
  content: z
    .array(shape({ entity: shape({ image: z.string() }) }))
    .max(1)
    .optional(),
});
const Patch = shape({ patch: shape({ message: shape({ $set: Message }) }) });
const Reaction = shape({ root: z.string(), reactionType: z.enum(REACTIONS) });

export function commentRoutes({ world, names, feed, api }: Parts, assets: Assets): Routes {
  const { docs, settings, options } = world;

  function viewOf(comment: Comment): object {
    const { id, page_id: actor, parent_id, under, text: words, images, at, changed_at } = comment;
    const urn = names.comment(comment);
    return {
      id,
      $URN: urn,
      commentUrn: urn,
      actor,
      object: names.named({ id: parent_id }),
      message: { text: words, attributes: [] },
      created: { actor, time: at },
      lastModified: { actor, time: changed_at },
      ...(under !== undefined && { parentComment: names.comment(docs.get('comment', under)!) }),
      ...(images.length > 0 && { content: images.map((image) => ({ type: 'IMAGE', entity: { image } })) }),
      ...feed.summaries({ post: { id: parent_id }, comment }),
    };
  }
  /** What the path refers to, if the caller may read its comments. */
  function readable(call: Call): Target {
    const target = feed.target(call.keys[0]!);
    api.authorize(call, target.post.page_id, 'feed');
    return target;
  }
  /** The comment in the path, which begins with the URN of its post or of the comment it replies to. */
  function named({ keys: [urn, id] }: Call): Required<Target> {
    const { post } = feed.target(urn!);
    const comment = docs.getLive('comment', id!);
    if (comment?.parent_id !== post.id) throw notFound(`comment ${id}`);
    return { post, comment };
  }
  function create(call: Call): unknown {
    const { actor, object, message, parentComment, content = [] } = read(Body, call.params.values, 'body');
    api.authorize(call, actor, 'react');
    const target = feed.target(call.keys[0]!);
    const isNew = target.post.at + settings.get('activity_ms') > options.clock.now();
    if (isNew) throw noActivity(target.post.id);
    if (names.post(object)?.id !== target.post.id) throw illegal('object is not the post of the path');
    const parent = parentComment === undefined ? undefined : names.commentAt(parentComment);
    if (parent?.id !== target.comment?.id) throw illegal('parentComment is not the comment of the path');
    if (parent?.under !== undefined) throw illegal('Comments may be nested on two levels only');
    const images = content.map(({ entity }) => assets.usable(entity.image, actor).id);
    const made = feed.comment(target, actor, message.text, images);
    return answer(viewOf(made), 201, { 'x-restli-id': made.id, 'x-resourceidentity-urn': names.comment(made) });
  }
  /** Authors can change their comments. An organization can also delete comments on its posts. */
  function mine(call: Call, isRemoval: boolean): Required<Target> {
    const found = named(call);
    const actor = call.query.text('actor');
    api.authorize(call, actor, 'react');
    const isOwner = isRemoval && isOrganization(actor) && found.post.page_id === actor;
    if (found.comment.page_id !== actor && !isOwner) throw denied('The comment is somebody else’s');
    return found;
  }

  return [
    ...api.resource('/rest/socialActions/{urn}/comments', {
      CREATE: create,
      GET: (call) => api.list(call, feed.answersTo(readable(call)).map(viewOf)),
    }),
    ...api.resource('/rest/socialActions/{urn}/comments/{id}', {
      GET: (call) => readable(call) && viewOf(named(call).comment),
      PARTIAL_UPDATE(call) {
        const found = mine(call, false);
        feed.editComment(found, read(Patch, call.params.values, 'body').patch.message.$set.text);
      },
      DELETE: (call) => feed.removeComment(mine(call, true)),
    }),
  ];
}

export function reactionRoutes({ names, feed, api }: Parts): Routes {
  function metadata(target: Target, entity: string): object {
    const by = Map.groupBy(feed.reactionsTo(target.comment ?? target.post), ({ type }) => type);
    const counted = [...by].map(([reactionType, all]) => [reactionType, { reactionType, count: all.length }]);
    const { aggregatedTotalComments: count, totalFirstLevelComments } = feed.summaries(target).commentsSummary;
    const commentSummary = { count, topLevelCount: totalFirstLevelComments };
    const commentsState = target.post.isClosed === true ? 'CLOSED' : 'OPEN';
    return { entity, reactionSummaries: Object.fromEntries(counted), commentSummary, commentsState };
  }
  function about(call: Call): Target {
    const target = feed.target(call.keys[0]!);
    api.authorize(call, target.post.page_id, 'feed');
    return target;
  }

  return [
    ...api.resource('/rest/socialActions/{urn}', {
      GET: (call) => ({ target: call.keys[0], ...feed.summaries(about(call)) }),
    }),
    ...api.resource('/rest/socialMetadata', {
      BATCH_GET: (call) =>
        api.batch(call, (urn) => {
          const post = names.post(urn);
          return post && api.isAllowed(call, post.page_id, 'feed') ? metadata({ post }, urn) : undefined;
        }),
    }),
    ...api.resource('/rest/socialMetadata/{urn}', { GET: (call) => metadata(about(call), call.keys[0]!) }),
    ...api.resource('/rest/reactions', {
      CREATE(call) {
        const actor = call.query.text('actor');
        const { root, reactionType } = read(Reaction, call.params.values, 'body');
        api.authorize(call, actor, 'react');
        feed.react(feed.target(root), actor, reactionType);
        const key = `(actor:${encodeURIComponent(actor)},entity:${encodeURIComponent(root)})`;
        return answer({ id: `urn:li:reaction:(${actor},${root})`, root, reactionType }, 201, { 'x-restli-id': key });
      },
    }),
    ...api.resource('/rest/reactions/{key}', {
      DELETE(call) {
        const [actor, entity] = [call.key.text('actor'), call.key.text('entity')];
        api.authorize(call, actor, 'react');
        feed.unreact(feed.target(entity), actor);
      },
    }),
  ];
}
