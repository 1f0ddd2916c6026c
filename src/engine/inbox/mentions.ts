import type { AccountRow } from '../../../db/accounts.ts';
import { listMentions } from '../../../db/inbox-lists.ts';
import { loadMention, type MentionRow } from '../../../db/mentions.ts';
import { listPages, pageNamed, type PageRow } from '../../../db/pages.ts';
import type { Store } from '../../../db/store.ts';
import type { Reach } from '../../call/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fail } from '../../kernel/errors.ts';
import { decodeCursor, encodeCursor, listAnswer, type Position } from '../../kernel/page.ts';
import type { MadeComment, Mentions } from '../../platforms/inbox.ts';
import type { Paged } from './conversations.ts';
import type { Acting } from './dm.ts';
import { mentionRecord } from './events.ts';
import { missing, noSuch, notSupported, platformIdOf, refuseDead, type Finding } from './finding.ts';
import { interactionId } from './ids.ts';
import { record } from './record.ts';
import { partOf } from './send-call.ts';
import type { SendingRoom } from './sending.ts';
import { refuseLong } from './text-rules.ts';
import { nameOf } from './wire.ts';

/** How many pages of the platform are read for one of ours, when they tell little. */
const MOST_READS = 5;

type Deps = Readonly<{ store: Store; clock: Clock; finding: Finding; sending: SendingRoom }>;

/** Where the platform's own list goes on: at its beginning, behind a cursor, or nowhere any more. */
type Live = string | undefined;
const BEGIN = 'begin';
const behind = (cursor: string) => `>${cursor}`;

export type MentionReply = Readonly<{
  account_id: string;
  text: string;
  media_id?: string | undefined;
  mention_id?: string | undefined;
  comment_id?: string | undefined;
}>;

/** Mentions: what was pushed and what the platform lists, as one list. */
export function makeMentions({ store, clock, finding, sending }: Deps) {
  function mentionsOf(account: AccountRow, capability: string): Mentions {
    return finding.platformOf(account)?.mentions ?? notSupported(account, capability);
  }

  /** Reads one page of the platform's list into the store; answers how far it reaches back, and where it goes on. */
  async function readOn(
    account: AccountRow,
    list: NonNullable<Mentions['list']>,
    { live, limit, since }: Readonly<{ live: string; limit: number; since: number | undefined }>,
  ): Promise<Readonly<{ live: Live; oldest: number | undefined }>> {
    const page = (await finding.pageOf(account, null))?.platform_page_id;
    const cursor = live === BEGIN ? undefined : live.slice(1);
    const listed = await finding.ask(account, (call) => list(call, { limit, cursor, since, page }));
    const facts = listed.items.map((mention) => ({ kind: 'mention', mention }) as const);
    await store.write((tx) => record(tx, account, facts, { silent: false, together: true, now: clock.now() }));
    const oldest = listed.items.length === 0 ? undefined : Math.min(...listed.items.map((item) => item.created_at));
    const far = since !== undefined && oldest !== undefined && oldest <= since;
    return { live: listed.cursor === undefined || far ? undefined : behind(listed.cursor), oldest };
  }

  return Object.freeze({
    async list(reach: Reach, accountId: string, since: number | undefined, { limit, cursor }: Paged) {
      const { filters, from } = decodeCursor('mentions', cursor, { account_id: accountId, since });
      const account = await finding.accountOf(reach, accountId);
      const { list } = mentionsOf(account, 'mentions.list');
      const start = positionIn(from);
      let live = list === undefined ? undefined : start.live;
      let notBefore: number | undefined;
      for (let reads = MOST_READS; ; reads -= 1) {
        if (live !== undefined && list !== undefined) {
          // One more than fits: what is as old as the last one read may go on behind it.
          const read = await readOn(account, list, { live, limit: Math.min(limit + 1, 100), since: filters.since });
          live = read.live;
          if (read.oldest !== undefined) notBefore = read.oldest + 1;
        }
        const open = live !== undefined;
        const span = { from: start.from, after: filters.since, notBefore: open ? (notBefore ?? NEVER) : undefined };
        const found = await listMentions(store.db, account.id, span, limit);
        if (found.length === 0 && open && reads > 1) continue;
        const rows = found.slice(0, limit);
        const more = found.length > limit || open;
        const last = rows.at(-1);
        const at = last === undefined ? start.from : { at: last.created_at, id: last.platform_id };
        const next = more ? encodeCursor('mentions', sealedPosition(at, live), filters) : '';
        const pages = await listPages(store.db, account.id);
        const data = rows.map((row) => wireMention(account, row, pages));
        return { count: data.length, ...listAnswer(data, limit, next) };
      }
    },

    /** Answers the post that mentions the account, or the comment on it that does. */
    async reply({ reach, workspace, signal }: Acting, ask: MentionReply) {
      const { account_id, text, media_id, mention_id } = ask;
      if (media_id === undefined && mention_id === undefined) {
        const message = 'media_id or mention_id is required.';
        fail('validation.field_required', { message, meta: { field: 'media_id' } });
      }
      const account = await finding.accountOf(reach, account_id);
      const { reply, text: rule } = mentionsOf(account, 'mentions.reply');
      if (reply === undefined) return notSupported(account, 'mentions.reply');
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
      const page = await finding.actingPage(account, named?.page_id ?? null);
      const shown = missing('resource.not_found', 'mention', mention_id ?? post);
      const [made] = await sending.send<MadeComment>(
        {
          kind: 'mention_reply',
          account,
          workspace,
          metered: true,
          ask: { place: { post, comment: commentId }, content: text },
          parts: [partOf(reply, { post, comment: commentId, page: page?.platform_page_id, text })],
          shown,
        },
        signal,
      );
      return { success: true, comment_id: interactionId('comment', account.platform, made!.comment_id) };
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

const NEVER = Number.MAX_SAFE_INTEGER;

type Start = Readonly<{ from: Position | undefined; live: Live }>;

/** Our position and the platform's, out of a cursor. */
function positionIn(sealed: Position | undefined): Start {
  if (sealed === undefined) return { from: undefined, live: BEGIN };
  const [id, live] = JSON.parse(sealed.id) as [string, string | null];
  return { from: { at: sealed.at, id }, live: live ?? undefined };
}

function sealedPosition(at: Position | undefined, live: Live): Position {
  const { at: time, id } = at ?? { at: NEVER, id: '' };
  return { at: time, id: JSON.stringify([id, live ?? null]) };
}
