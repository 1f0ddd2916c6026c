/** Updates in the flat format of Threads. */
import { drawPlain, type NodeType } from '../graph/api/render.ts';
import { graphTime, seconds } from '../graph/ids.ts';
import { APP } from '../graph/oauth/tokens.ts';
import { fixedId } from '../kit/ids.ts';
import type { Update } from '../kit/push/log.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import { mentionsIn } from './text.ts';
import { isReply, SLUG, type Post, type World } from './world.ts';

const FIELDS = Object.freeze({
  replies: { topic: 'moderate', scopes: ['threads_basic', 'threads_read_replies'] },
  delete: { topic: 'moderate', scopes: ['threads_basic'] },
  mentions: { topic: 'interaction', scopes: ['threads_basic', 'threads_manage_mentions'] },
  publish: { topic: 'interaction', scopes: ['threads_basic'] },
});
type Field = keyof typeof FIELDS;
type Item = Readonly<{ field: Field; target_id: string; values: unknown }>;

export type Notices = ReturnType<typeof makeNotices>;

/** The fields of a post that every update contains. */
const BRIEF = 'username,media_type,permalink,timestamp';

/** Sends each update in its own delivery. */
export const bodiesOf = (updates: readonly Update[]): readonly object[] =>
  updates.map(({ page_id, at, item }) => {
    const { field, target_id, values } = item as Item;
    const { topic } = FIELDS[field];
    const subscription_id = fixedId(SLUG, 'subscription', page_id, topic);
    return { app_id: APP.id, topic, target_id, time: seconds(at), subscription_id, has_uid_field: false, values };
  });

export function makeNotices({ nodes, people, settings }: World, queue: Pick<Pushes, 'add'>, look: NodeType<Post>) {
  function add(user: string, field: Field, target_id: string, value: object): void {
    const rights = nodes.get('grant', user)?.scopes;
    if (!FIELDS[field].scopes.every((scope) => rights?.[scope] === 'granted')) return;
    if (!settings.get('subscribed_fields').split(',').includes(field)) return;
    const change = { value, field };
    const values = settings.get('push_values_array') ? [change] : change;
    queue.add({ page_id: user, kind: 'threads', item: { field, target_id, values } satisfies Item });
  }

  const viewOf = (post: Post, fields: string) => drawPlain(look, post, fields);
  const content = (post: Post) => viewOf(post, `${BRIEF},text,shortcode,is_verified,profile_picture_url`);

  return Object.freeze({
    published(post: Post) {
      add(post.page_id, 'publish', post.page_id, viewOf(post, BRIEF));
      const root = isReply(post) ? nodes.get('post', post.root) : undefined;
      if (root !== undefined)
        add(root.page_id, 'replies', root.id, {
          ...content(post),
          replied_to: { id: post.parent_id },
          root_post: { id: root.id, owner_id: root.page_id, username: people.byId(root.page_id)?.handle },
        });
      for (const name of mentionsIn(post.text)) {
        const mentioned = people.all().find(({ handle }) => handle === name);
        if (mentioned !== undefined && mentioned.id !== post.page_id)
          add(mentioned.id, 'mentions', mentioned.id, content(post));
      }
    },
    removed(post: Post) {
      const gone = { owner: { owner_id: post.page_id }, deleted_at: graphTime(post.deleted_at ?? post.at) };
      add(post.page_id, 'delete', post.id, { ...viewOf(post, 'timestamp,username'), ...gone });
    },
  });
}
