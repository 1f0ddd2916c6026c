import type { Message, Thread } from '../docs.ts';
import { newMessageId, newThreadId } from '../ids.ts';
import { APP } from '../oauth/tokens.ts';
import { messageItem } from '../push/updates.ts';
import { fileUrl, type GraphWorld } from '../world.ts';

type Draft = Omit<Message, 'id' | 'at' | 'page_id' | 'parent_id' | 'from_page' | 'delivered' | 'read' | 'edits'>;

export type Threads = Readonly<{
  of(page: string, person: string): Thread | undefined;
  open(page: string, person: string): Thread;
  /** Adds a message that the app or the Page's own people sent. */
  fromPage(thread: Thread, draft: Draft): Message;
  fromPerson(thread: Thread, draft: Draft): Message;
  /** Opens the messaging window without a message, as tapping a button does. */
  touch(thread: Thread): Thread;
  delivered(thread: Thread): void;
  /** Marks all messages so far as read by the person. */
  read(thread: Thread): void;
  messages(thread: string): readonly Message[];
}>;

const INBOX_APP = '263902037430900';

export function makeThreads(world: GraphWorld): Threads {
  const { nodes, clock, updates, settings } = world;
  const url = (blob: string) => fileUrl(world, blob);
  const messages = (thread: string) => nodes.list('message', { parent: thread });
  const of = (page: string, person: string) =>
    nodes.list('thread', { page }).find(({ parent_id }) => parent_id === person);

  function add(thread: Thread, from_page: boolean, draft: Draft): Message {
    const now = clock.now();
    const message = nodes.put('message', {
      ...draft,
      id: newMessageId(),
      // Messages need distinct times, because the watermark is compared with them.
      at: Math.max(now, (messages(thread.id).at(-1)?.at ?? 0) + 1),
      page_id: thread.page_id,
      parent_id: thread.id,
      from_page,
      edits: 0,
      delivered: false,
      read: false,
    });
    const patch = from_page
      ? { unread: 0 }
      : { unread: (nodes.get('thread', thread.id)?.unread ?? 0) + 1, inbound_at: now };
    nodes.change('thread', thread.id, { updated_at: message.at, ...patch });
    return message;
  }

  function delivered(thread: Thread): void {
    const fresh = messages(thread.id).filter((message) => message.from_page && !message.delivered);
    if (fresh.length === 0) return;
    for (const { id } of fresh) nodes.change('message', id, { delivered: true });
    updates.messaging('message_deliveries', thread, 'person', {
      delivery: { mids: fresh.map(({ id }) => id), watermark: fresh.at(-1)?.at },
    });
  }

  return Object.freeze({
    of,
    messages,
    delivered,
    open(page: string, person: string) {
      const now = clock.now();
      return (
        of(page, person) ??
        nodes.put('thread', {
          id: newThreadId(),
          at: now,
          page_id: page,
          parent_id: person,
          updated_at: now,
          unread: 0,
        })
      );
    },
    fromPage(thread: Thread, draft: Draft) {
      const message = add(thread, true, draft);
      updates.messaging('message_echoes', thread, 'page', {
        timestamp: message.at,
        message: {
          ...messageItem(message, url),
          is_echo: true,
          app_id: draft.by_app ? APP.id : INBOX_APP,
          ...(message.metadata !== undefined && { metadata: message.metadata }),
        },
      });
      if (settings.get('auto_delivery')) delivered(thread);
      return message;
    },
    fromPerson(thread: Thread, draft: Draft) {
      const message = add(thread, false, draft);
      updates.messaging('messages', thread, 'person', { timestamp: message.at, message: messageItem(message, url) });
      return message;
    },
    touch: (thread: Thread) => nodes.change('thread', thread.id, { inbound_at: clock.now(), updated_at: clock.now() }),
    read(thread: Thread) {
      delivered(thread);
      const sent = messages(thread.id).filter(({ from_page }) => from_page);
      for (const { id } of sent.filter(({ read }) => !read)) nodes.change('message', id, { read: true });
      updates.messaging('message_reads', thread, 'person', {
        read: { watermark: Math.max(clock.now(), sent.at(-1)?.at ?? 0) },
      });
    },
  });
}
