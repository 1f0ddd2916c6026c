import type { Clock } from '#kernel/clock.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import type { Update } from '../../kit/push/log.ts';
import type { Message, Page, Thread } from '../docs.ts';
import { seconds } from '../ids.ts';
import type { People } from '../people/people.ts';

export type Updates = Readonly<{
  change(page: string, field: string, value: object): void;
  messaging(field: string, thread: Thread, from: 'page' | 'person', item: object): void;
}>;

/** Sends updates to the app, but only for fields that the Page is subscribed to. */
export function makeUpdates(
  pushes: Pick<Pushes, 'add'>,
  { page, people, clock }: Readonly<{ page(id: string): Page | undefined; people: Pick<People, 'psid'>; clock: Clock }>,
): Updates {
  function add(page_id: string, field: string, kind: string, item: unknown): void {
    // Other updates are not even stored.
    if (page(page_id)?.subscription?.fields.includes(field) === true) pushes.add({ page_id, kind, item });
  }
  return Object.freeze({
    change: (id: string, field: string, value: object) => add(id, field, 'changes', { field, value }),
    messaging(field: string, { page_id, parent_id }: Thread, from: 'page' | 'person', item: object) {
      const own = { id: page_id };
      const person = { id: people.psid(page_id, parent_id) };
      const [sender, recipient] = from === 'page' ? [own, person] : [person, own];
      add(page_id, field, 'messaging', { sender, recipient, timestamp: clock.now(), ...item });
    },
  });
}

/** Bundles updates like Meta: consecutive ones of a Page share an entry, unless `isFlat` requires one body each. */
export const entriesOf =
  (object: string, isFlat = () => false) =>
  (updates: readonly Update[]): readonly object[] => {
    if (isFlat())
      return updates.map(({ page_id: id, kind, at, item }) => ({
        object,
        entry: [
          kind === 'changes' ? { id, time: seconds(at), ...(item as object) } : { id, time: at, messaging: [item] },
        ],
      }));
    const entries: { id: string; kind: string; at: number; items: unknown[] }[] = [];
    for (const { page_id, kind, at, item } of updates) {
      const last = entries.at(-1);
      if (last?.id === page_id && last.kind === kind) last.items.push(item);
      else entries.push({ id: page_id, kind, at, items: [item] });
    }
    return [
      {
        object,
        entry: entries.map(({ id, kind, at, items }) =>
          kind === 'changes' ? { id, time: seconds(at), changes: items } : { id, time: at, messaging: items },
        ),
      },
    ];
  };

/** A message as an update shows it, with URLs of the simulator's files. */
export function messageItem(message: Message, fileUrl: (blob: string) => string): object {
  return {
    mid: message.id,
    ...(message.text !== undefined && { text: message.text }),
    ...(message.pieces.length > 0 && {
      attachments: message.pieces.map(({ type, blob, payload = null, title, url }) => ({
        type,
        ...(title !== undefined && { title }),
        ...(url !== undefined && { url }),
        payload: blob === undefined ? payload : { url: fileUrl(blob) },
      })),
    }),
    ...(message.quick_reply !== undefined && { quick_reply: { payload: message.quick_reply } }),
    ...(message.unsupported === true && { is_unsupported: true }),
    ...(message.commands !== undefined && { commands: message.commands }),
    ...(message.reply_to !== undefined && { reply_to: { mid: message.reply_to } }),
    ...(message.story !== undefined && { reply_to: { story: message.story } }),
    ...(message.referral !== undefined && { referral: message.referral }),
  };
}
