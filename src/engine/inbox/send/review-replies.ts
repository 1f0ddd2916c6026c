import { findAccounts, listAccounts, type AccountRow } from '#db/access/accounts.ts';
import { reviewedAccounts } from '#db/inbox/lists.ts';
import { loadReview } from '#db/inbox/reviews.ts';
import type { Store } from '#db/store/store.ts';
import { refuseDead } from '#call/accounts.ts';
import { partOf, type SendBegun, type SendContext, type Sent } from '#call/sends.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, noSuch } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { CreatedReviewReply } from '#platforms/interactions.ts';
import type { Platform } from '#platforms/platform.ts';
import { ambiguous, missing, notOwner, platformIdOf, type Lookup } from '../read/lookup.ts';
import { storedReview } from '../read/present-inbox.ts';
import { interactionId, readInteractionId } from '../record/ids.ts';
import { record } from '../record/record.ts';
import type { SendingModule } from './sending.ts';
import { refuseLong } from './text-rules.ts';

type ReviewReplyDeps = Readonly<{ store: Store; clock: Clock; lookup: Lookup; sending: SendingModule }>;

export type ReviewReply = Readonly<{ review_id: string; text: string; account_id?: string | undefined }>;

const replied = ({ made: [made] }: Sent<CreatedReviewReply>) => {
  const { reply_id, state } = made!;
  return { success: true, reply_id, ...(state !== undefined && { state }) };
};

/** Finds a review by the id that the caller gave, and the account it is about. */
export function makeReviewFinder({ store, lookup }: Pick<ReviewReplyDeps, 'store' | 'lookup'>) {
  async function reviewOf(authority: Authority, id: string, accountId: string | undefined) {
    const own = readInteractionId('review', id);
    const review = own?.platformId ?? id;
    const account = await ownerOf(authority, { id, review, platform: own?.platform }, accountId);
    const { platform } = account;
    platformIdOf('review', platform, id);
    const row = await loadReview(store.db, account.id, review);
    if (row === undefined && !lookup.canBeId(account, 'review', review)) noSuch('review', id);
    return { account, review, row, id: interactionId('review', platform, review) };
  }

  async function ownerOf(
    authority: Authority,
    { id, review, platform }: Readonly<{ id: string; review: string; platform: PlatformSlug | undefined }>,
    accountId: string | undefined,
  ): Promise<AccountRow> {
    const known = await reviewedAccounts(store.db, authority, review);
    if (accountId !== undefined) {
      const account = await lookup.accountOf(authority, accountId);
      if (known.length > 0 && !known.includes(accountId)) notOwner('This review is not one of this account.');
      return account;
    }
    if (known.length > 1)
      ambiguous('Several accounts have this review', await findAccounts(store.db, authority, known));
    if (known[0] !== undefined) return lookup.accountOf(authority, known[0]);
    // The review was never listed. Its id names the platform, which suffices if only one account of it is connected.
    const all = platform === undefined ? [] : await listAccounts(store.db, authority, { platform });
    const [only] = all;
    if (only === undefined) return noSuch('review', id);
    return all.length === 1 ? only : ambiguous('Several accounts may have this review', all);
  }

  return reviewOf;
}

/** Replies to reviews, and changes and removes replies. */
export function makeReviewReplies(deps: ReviewReplyDeps) {
  const { store, lookup, sending, clock } = deps;
  const reviewOf = makeReviewFinder(deps);

  const reviewsOf = (account: AccountRow, resource: string): NonNullable<Platform['reviews']> =>
    lookup.capabilityOf(account, resource, (connector) => connector.reviews);

  async function answer(
    { authority, workspace, signal }: SendContext,
    request: ReviewReply,
    { isNew, begun }: Readonly<{ isNew: boolean; begun?: SendBegun | undefined }>,
  ) {
    const { review_id, text } = request;
    const { account, review, row } = await reviewOf(authority, review_id, request.account_id);
    const reviews = reviewsOf(account, 'reviews.reply');
    if (!isNew && row !== undefined && row.reply_text === null) noReply(review_id);
    refuseLong(text, reviews.text);
    refuseDead(account);
    return sending.send<CreatedReviewReply>(
      {
        kind: 'review_reply',
        account,
        workspace,
        metered: isNew,
        begun,
        request: { place: review, content: text },
        parts: [partOf(reviews.reply, { review, text })],
        presentError: missing('review', review_id),
        async keep(tx, { state }) {
          // The review's text may have changed while the reply was sent.
          const present = await loadReview(tx.db, account.id, review);
          if (present === undefined) return;
          const now = clock.now();
          const answered = { ...storedReview(present), reply: { text, updated_at: now, state } };
          await record(tx, account, [{ kind: 'review', review: answered }], { silent: true, now });
        },
      },
      signal,
    );
  }

  return Object.freeze({
    /** Replies to a review; an existing reply is replaced. */
    async reply(context: SendContext, request: ReviewReply, begun?: SendBegun) {
      return replied(
        await sending.settle(begun, context.signal, () => answer(context, request, { isNew: true, begun })),
      );
    },
    async updateReply(context: SendContext, request: ReviewReply) {
      return replied(await answer(context, request, { isNew: false }));
    },

    async removeReply(authority: Authority, reviewId: string, accountId: string | undefined) {
      const { account, review, row, id } = await reviewOf(authority, reviewId, accountId);
      const reviews = reviewsOf(account, 'reviews.remove_reply');
      if (row !== undefined && row.reply_text === null) noReply(reviewId);
      const presentError = missing('review', reviewId);
      await lookup.callPlatform(account, (call) => reviews.removeReply(call, review), presentError);
      if (row === undefined) return { success: true, ok: true, id };
      const event = { kind: 'review', review: { ...storedReview(row), reply: undefined } } as const;
      await store.write((tx) => record(tx, account, [event], { silent: true, now: clock.now() }));
      return { success: true, ok: true, id };
    },
  });
}

function noReply(id: string): never {
  const message = 'This review has no reply.';
  throw new ApiError('resource.not_found', {
    message,
    next: 'Write one with reply_to_review.',
    meta: { resource: 'reply', id },
  });
}
