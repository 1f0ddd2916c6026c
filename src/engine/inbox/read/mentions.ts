import type { AccountRow } from '../../../../db/access/accounts.ts';
import { listPages, pageNamed, type PageRow } from '../../../../db/access/pages.ts';
import { listMentions } from '../../../../db/inbox/lists.ts';
import { loadMention, type MentionRow } from '../../../../db/inbox/mentions.ts';
import type { Store } from '../../../../db/store/store.ts';
import type { Authority } from '../../../kernel/authority.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { fail, noSuch } from '../../../kernel/errors.ts';
import { decodeCursor, encodeCursor, listAnswer, type PageQuery } from '../../../kernel/page.ts';
import type { MadeComment } from '../../../platforms/interactions.ts';
import { notSupported } from '../../../platforms/lookup.ts';
import { mentionRecord } from '../record/events.ts';
import { partOf } from '../send/call.ts';
import type { SendContext } from '../send/messages.ts';
import { replied } from '../send/replies.ts';
import type { SendBegun, SendingModule } from '../send/sending.ts';
import { refuseLong } from '../send/text-rules.ts';
import { missing, platformIdOf, refuseDead, type Lookup } from './lookup.ts';
import { freshLanes, makeMentionLists, openPlace, floorOf, sealPlace } from './mention-lists.ts';
import { nameOf } from './wire.ts';

/** Maximum reads of the platform's lists for one page of ours. */
const MOST_READS = 5;

type MentionDeps = Readonly<{ store: Store; clock: Clock; lookup: Lookup; sending: SendingModule }>;

export type MentionReply = Readonly<{
  account_id: string;
  text: string;
  media_id?: string | undefined;
  mention_id?: string | undefined;
  comment_id?: string | undefined;
}>;

/** Mentions: what was pushed and what the platform lists, as one list. */
export function makeMentions({ store, clock, lookup, sending }: MentionDeps) {
  const readOn = makeMentionLists({ store, clock, lookup });

  const mentionsOf = (account: AccountRow, resource: string) =>
    lookup.capabilityOf(account, resource, (connector) => connector.mentions);

  async function answer({ authority, workspace, gone }: SendContext, ask: MentionReply, begun?: SendBegun) {
    const { account_id, text, media_id, mention_id } = ask;
    if (media_id === undefined && mention_id === undefined) {
      const message = 'media_id or mention_id is required.';
      fail('validation.field_required', { message, meta: { field: 'media_id' } });
    }
    const account = await lookup.accountOf(authority, account_id);
    const { reply, text: rule } = mentionsOf(account, 'mentions.reply');
    if (reply === undefined) return notSupported(account.platform, 'mentions.reply');
    const named = mention_id === undefined ? undefined : await mentionOf(account, mention_id);
    const post = named?.platform_post_id ?? media_id!;
    if (media_id !== undefined && media_id !== post) {
      const message = 'media_id: this is not the post of the mention.';
      fail('validation.field_invalid', { message, meta: { field: 'media_id' } });
    }
    const comment = ask.comment_id === undefined ? named?.comment_id : ask.comment_id;
    const commentId = comment ? platformIdOf('comment', account.platform, comment) : undefined;
    refuseLong(text, rule);
    refuseDead(account);
    const page = await lookup.pageForCall(account, named?.page_id ?? null);
    const shown = missing('resource.not_found', 'mention', mention_id ?? post);
    return sending.send<MadeComment>(
      {
        kind: 'mention_reply',
        account,
        workspace,
        metered: true,
        begun,
        ask: { place: { post, comment: commentId }, content: text },
        parts: [partOf(reply, { post, comment: commentId, page: page?.platform_page_id, text })],
        shown,
      },
      gone,
    );
  }

  return Object.freeze({
    async list(authority: Authority, accountId: string, since: number | undefined, { limit, cursor }: PageQuery) {
      const { filters, from } = decodeCursor('mentions', cursor, { account_id: accountId, since });
      const account = await lookup.accountOf(authority, accountId);
      const { list } = mentionsOf(account, 'mentions.list');
      const pages = await listPages(store.db, account.id);
      const fresh = list === undefined ? [] : freshLanes(pages, lookup.findConnector(account)?.pages !== undefined);
      const place = from && openPlace(from, fresh);
      let lanes = place?.lanes ?? fresh;
      for (let reads = 0; ; reads += 1) {
        const span = { from: place?.at, after: filters.since, notBefore: floorOf(lanes) };
        const found = await listMentions(store.db, account.id, span, limit);
        const isEnough = found.length > limit || (found.length > 0 && reads > 0) || reads === MOST_READS;
        if (!isEnough && list !== undefined && lanes.length > 0) {
          lanes = await readOn(account, list, lanes, { limit, since: filters.since });
          continue;
        }
        const rows = found.slice(0, limit);
        const last = rows.at(-1);
        const at = last === undefined ? place?.at : { at: last.created_at, id: last.platform_id };
        const more = found.length > limit || lanes.length > 0;
        const next = more ? encodeCursor('mentions', sealPlace(at, lanes), filters) : '';
        const data = rows.map((row) => wireMention(account, row, pages));
        return { count: data.length, ...listAnswer(data, limit, next) };
      }
    },

    /** Answers the post that mentions the account, or the comment on it that does. */
    async reply(call: SendContext, ask: MentionReply, begun?: SendBegun) {
      return replied(await sending.settle(begun, call.gone, () => answer(call, ask, begun)));
    },
  });

  async function mentionOf(account: AccountRow, id: string) {
    const found = await loadMention(store.db, account.id, platformIdOf('mention', account.platform, id));
    return found ?? noSuch('mention', id);
  }
}

function wireMention(account: AccountRow, row: MentionRow, pages: readonly PageRow[]) {
  const page = row.page_id === null ? undefined : pageNamed(pages, row.page_id);
  const record = mentionRecord(account, row, page?.id ?? row.page_id ?? undefined);
  const { name, username, id } = record.author;
  return {
    ...record,
    platform_post_id: row.platform_post_id,
    author: { ...record.author, name: nameOf(name, username, id) },
  };
}
