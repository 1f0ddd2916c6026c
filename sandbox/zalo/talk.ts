import { HOUR } from '#kernel/clock.ts';
import { REFUSALS, type Fields, type Message, type Tie } from './docs.ts';
import { outOfQuota, ZaloError } from './errors.ts';
import type { Events } from './pushes.ts';
import { newId, type Ties, type World } from './world.ts';

const FREE_MS = 48 * HOUR;
const WINDOW_MS = 7 * 24 * HOUR;

export type Saying = Pick<Message, 'type' | 'text' | 'attachments'> & Partial<Pick<Message, 'buttons' | 'quoted'>>;
type Quota = Readonly<{ quota_type: string; owner_type: string; remain?: number; total?: number; until: number }>;
export type Talk = ReturnType<typeof makeTalk>;

export function makeTalk({ docs, settings, options: { clock } }: World, ties: Ties, events: Events) {
  const isFree = ({ acted_at = 0 }: Tie) => acted_at > clock.now() - FREE_MS;
  const paidFor = (account: string) =>
    docs.list('message', { page: account }).filter(({ paid }) => paid === true).length;

  /** How many paid messages an account has left, whoever they are for. */
  function paidQuotaOf(account: string) {
    const total = settings.get('paid_messages');
    return { quota_type: 'sub_quota', remain: Math.max(0, total - paidFor(account)), total, owner_type: 'OA' };
  }

  function quotaOf(tie: Tie): Quota {
    const { acted_at = 0, page_id } = tie;
    // Free messages are not counted and not limited.
    if (isFree(tie) && settings.get('free_messages'))
      return { quota_type: 'reply', owner_type: 'OA', until: acted_at + FREE_MS };
    return { ...paidQuotaOf(page_id), until: acted_at + WINDOW_MS };
  }

  function write(tie: Tie, src: 0 | 1, content: Saying, more: Partial<Message> = {}): Message {
    const { id: parent_id, page_id } = tie;
    return docs.put('message', { ...content, ...more, id: newId(), at: clock.now(), page_id, parent_id, src });
  }
  const bodyOf = ({ id, text, attachments, quoted }: Message): Fields => ({
    message: {
      msg_id: id,
      ...(text !== '' && { text }),
      ...(attachments.length > 0 && { attachments }),
      ...(quoted !== undefined && { quote_msg_id: quoted }),
    },
  });

  return Object.freeze({
    quotaOf,
    paidQuotaOf,
    messages: (tie: Tie) => docs.list('message', { parent: tie.id }),
    /** Records an interaction, which opens the messaging window. Inside a transaction. */
    act: (tie: Tie): Tie => ties.change(tie.id, { acted_at: clock.now() }),

    /** Throws if the account may not write to the user now. */
    check(tie: Tie): void {
      const { acted_at, refuses, follows } = tie;
      if (refuses !== undefined) throw new ZaloError(REFUSALS[refuses], `The user ${refuses}`);
      if (acted_at === undefined)
        throw follows === true
          ? new ZaloError(-232, 'User has not interacted with the OA')
          : new ZaloError(-213, 'User has not followed the OA');
      if (acted_at <= clock.now() - WINDOW_MS)
        throw new ZaloError(-230, 'User has not interacted with the OA in the past 7 days');
      if (quotaOf(tie).remain === 0) throw outOfQuota('consultation messages');
    },

    /** A message from a user; `kind` is the name of the event. Inside a transaction. */
    fromUser(tie: Tie, kind: string, content: Saying): Message {
      const now = ties.change(tie.id, { acted_at: clock.now() });
      const message = write(now, 1, content);
      const { conversation } = now;
      const by = conversation === undefined ? 'user' : 'anonymous';
      events.fromUser(now, `${by}_send_${kind}`, {
        ...(conversation !== undefined && { conversation_id: conversation }),
        ...bodyOf(message),
      });
      return message;
    },

    /** A message from the account; returns what is left of its quota. Inside a transaction. */
    fromAccount(
      tie: Tie,
      kind: string,
      content: Saying,
    ): Readonly<{ message: Message; quota: ReturnType<typeof quotaOf> }> {
      const { quota_type } = quotaOf(tie);
      const isPaid = quota_type !== 'reply';
      const message = write(tie, 0, content, isPaid ? { paid: true } : {});
      events.fromAccount(tie, `oa_send_${kind}`, bodyOf(message));
      if (settings.get('receipts')) {
        const received = { message: { msg_ids: [message.id] } };
        events.fromUser(tie, 'user_received_message', received);
      }
      return { message, quota: quotaOf(tie) };
    },
  });
}
