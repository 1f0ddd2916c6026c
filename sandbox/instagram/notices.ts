import { tableOf } from '#kernel/text/table.ts';
import type { Thread } from '../graph/docs.ts';
import { makeUpdates, type Updates } from '../graph/push/updates.ts';
import type { Pushes } from '../kit/push/pushes.ts';
import type { Comment, Media } from './docs.ts';
import type { World } from './world.ts';

/** Names that differ from Messenger's. Delivery reports have none, because Instagram does not send them. */
const FIELDS: ReadonlyMap<string, string | undefined> = tableOf({
  message_deliveries: undefined,
  message_echoes: 'messages',
  message_edits: 'message_edit',
  message_reads: 'messaging_seen',
  messaging_referrals: 'messaging_referral',
});

/** Updates of subscribed accounts, limited to the fields chosen in the app's dashboard. */
export function instagramUpdates(world: World, queue: Pick<Pushes, 'add'>): Updates {
  const { people, nodes, settings, clock } = world;
  const { change, messaging } = makeUpdates(queue, {
    people,
    clock,
    page(id: string) {
      const page = people.page(id);
      const fields = settings.get('subscribed_fields').split(',');
      return page?.subscription && { ...page, subscription: { ...page.subscription, fields } };
    },
  });
  /** A read receipt names the account's newest message; on Messenger it has a time instead. */
  function itemOf(field: string, thread: Thread, item: object): object {
    if (field === 'messaging_seen') {
      const mid = nodes.list('message', { parent: thread.id }).findLast(({ from_page }) => from_page)?.id;
      return { read: { mid } };
    }
    const { message } = item as { message?: { app_id?: string; metadata?: string; is_echo?: true } };
    if (message?.is_echo !== true) return item;
    const { app_id: _app, metadata: _metadata, ...content } = message;
    return { ...item, message: content };
  }
  return Object.freeze({
    change,
    messaging(name: string, thread: Thread, from: 'page' | 'person', item: object) {
      const field = FIELDS.has(name) ? FIELDS.get(name) : name;
      if (field !== undefined) messaging(field, thread, from, itemOf(field, thread, item));
    },
  });
}

export type Notices = ReturnType<typeof makeNotices>;

export function makeNotices({ people, updates, settings, nodes }: World) {
  const authorOf = ({ author, page_id }: Comment) => {
    const person = author === undefined ? undefined : people.byId(author);
    if (person === undefined) return { id: page_id, username: people.page(page_id)?.username };
    const id = people.psid(page_id, person.id);
    return { ...(settings.get('author_ids') && { id }), username: person.handle };
  };
  const mentioned = (account: string, text: string) => text.includes(`@${people.page(account)?.username}`);

  return Object.freeze({
    authorOf,
    commented(comment: Comment, post: Media): void {
      const { id, page_id, text, parent_id, media_id } = comment;
      if (post.author !== undefined) {
        // For comments on posts of others, the account is only notified of mentions.
        if (mentioned(page_id, text)) updates.change(page_id, 'mentions', { media_id, comment_id: id });
        return;
      }
      updates.change(page_id, 'comments', {
        from: authorOf(comment),
        [settings.get('push_comment_id') ? 'comment_id' : 'id']: id,
        text,
        ...(parent_id !== media_id && { parent_id }),
        media: { id: media_id, media_product_type: nodes.get('media', media_id)?.product },
      });
    },
    mentioned: ({ id, page_id }: Media) => updates.change(page_id, 'mentions', { media_id: id }),
  });
}
