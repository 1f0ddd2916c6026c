import type { AccountRow } from '#db/access/accounts.ts';
import { ANSWERED_BY, markAnswered } from '#db/inbox/answers.ts';
import { loadMention, patchMention } from '#db/inbox/mentions.ts';
import type { Store } from '#db/store/store.ts';
import { refuseDead } from '#call/accounts.ts';
import { partOf, type SendBegun, type SendContext } from '#call/sends.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import type { CreatedComment } from '#platforms/interactions.ts';
import { notSupported } from '#platforms/lookup.ts';
import { missing, platformIdOf, type Lookup } from '../read/lookup.ts';
import { replied } from './replies.ts';
import type { SendingModule } from './sending.ts';
import { refuseLong } from './text-rules.ts';

export type MentionReply = Readonly<{
  account_id: string;
  text: string;
  media_id?: string | undefined;
  mention_id?: string | undefined;
  comment_id?: string | undefined;
}>;

export function makeMentionReplies({
  store,
  lookup,
  sending,
}: Readonly<{ store: Store; lookup: Lookup; sending: SendingModule }>) {
  async function mentionOf(account: AccountRow, id: string) {
    const found = await loadMention(store.db, account.id, platformIdOf('mention', account.platform, id));
    return found ?? noSuch('mention', id);
  }

  /** The post and the comment to reply to, and the mention if the caller names it. */
  async function placeOf(account: AccountRow, { media_id, mention_id, comment_id }: MentionReply) {
    const named = mention_id === undefined ? undefined : await mentionOf(account, mention_id);
    const post = named?.platform_post_id ?? media_id!;
    if (media_id !== undefined && media_id !== post) {
      const message = 'media_id: this is not the post of the mention.';
      fail('validation.field_invalid', { message, meta: { field: 'media_id' } });
    }
    const comment = comment_id === undefined ? named?.comment_id : comment_id;
    const commentId = comment ? platformIdOf('comment', account.platform, comment) : undefined;
    if (named === undefined && !lookup.canBeId(account, 'post', post)) noSuch('mention', post);
    if (comment_id && !lookup.canBeId(account, 'comment', commentId!)) noSuch('comment', comment_id);
    return { named, post, commentId };
  }

  async function answer({ authority, workspace, signal }: SendContext, request: MentionReply, begun?: SendBegun) {
    const { account_id, text, media_id, mention_id } = request;
    if (media_id === undefined && mention_id === undefined) {
      const message = 'media_id or mention_id is required.';
      fail('validation.field_required', { message, meta: { field: 'media_id' } });
    }
    const account = await lookup.accountOf(authority, account_id);
    const { reply, text: rule } = lookup.capabilityOf(account, 'mentions.reply', (connector) => connector.mentions);
    if (reply === undefined) return notSupported(account.platform, 'mentions.reply');
    const { named, post, commentId } = await placeOf(account, request);
    refuseLong(text, rule);
    refuseDead(account);
    const page = await lookup.pageForCall(account, named?.page_id ?? null);
    const presentError = missing('mention', mention_id ?? post);
    return sending.send<CreatedComment>(
      {
        kind: 'mention_reply',
        account,
        workspace,
        metered: true,
        begun,
        request: { place: { post, comment: commentId }, content: text },
        parts: [partOf(reply, { post, comment: commentId, page: page?.platform_page_id, text })],
        presentError,
        async keep(tx) {
          await markAnswered(tx.db, { accountId: account.id, post, comment: commentId ?? null }, 'send');
          if (named !== undefined) await patchMention(tx.db, named, { is_answered: ANSWERED_BY.send });
        },
      },
      signal,
    );
  }

  return Object.freeze({
    /** Replies to the post or comment that mentions the account. */
    async reply(call: SendContext, request: MentionReply, begun?: SendBegun) {
      return replied(await sending.settle(begun, call.signal, () => answer(call, request, begun)));
    },
  });
}
