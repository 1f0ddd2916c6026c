import { holdAccounts } from '#db/posts/targets.ts';
import { findRepeats, type Repeat } from '#db/posts/duplicates.ts';
import type { Queryable, Tx } from '#db/store/tx.ts';
import type { Workspace } from '#kernel/authority.ts';
import { ApiError } from '#kernel/errors.ts';
import { fingerprint } from '../content/content.ts';
import { writePosts } from './create.ts';
import { GUARD_MS, repeated } from './duplicates.ts';
import { rowsOfPost, type NewPost } from './rows.ts';

/** What is needed to recognise posts that an import repeats. */
export type Import = Readonly<{
  workspace: Workspace;
  /** The posts this import has created so far, without those of concurrent imports. */
  made: ReadonlySet<string>;
  /** Fingerprints of posts that it will publish but has not stored yet. */
  seen: Set<string>;
}>;

/** The id of a created post, or why it was refused. */
export type RowResult = string | ApiError;

/** Finds repeated posts; drafts are also compared with earlier imports of the same file. */
export async function repeatsAmong(
  store: Queryable,
  posts: readonly NewPost[],
  { workspace, made, seen }: Import,
  now: number,
): Promise<readonly (ApiError | undefined)[]> {
  const marked = posts.map(({ content, targets, intent }) => ({
    intent,
    marks: targets.map(({ account, page_id, overrides }) => ({
      account,
      print: fingerprint(content, account.id, page_id, overrides),
    })),
  }));
  const asked = marked.flatMap(({ marks }) =>
    marks.map(({ account, print }) => ({ account_id: account.id, fingerprint: print })),
  );
  const found = new Map<string, Repeat>();
  for (const row of await findRepeats(store, workspace.id, asked, now - GUARD_MS)) {
    const draft = row.status === 'pending';
    if (draft && made.has(row.post_id)) continue;
    found.set(`${draft ? 'draft' : 'schedule'} ${row.fingerprint}`, row);
  }
  return marked.map(({ intent, marks }) => {
    const clash = marks.find(({ print }) => found.has(`${intent} ${print}`) || (intent !== 'draft' && seen.has(print)));
    if (clash) {
      const before = found.get(`${intent} ${clash.print}`);
      return repeated(clash.account, before === undefined ? 'in an earlier row' : 'less than 24 hours ago', before);
    }
    if (intent !== 'draft') for (const { print } of marks) seen.add(print);
    return undefined;
  });
}

/** Writes posts in one transaction; a post that repeats another or lacks a credit does not block the others. */
export async function createPosts(
  tx: Tx,
  posts: readonly NewPost[],
  batch: Import,
  now: number,
): Promise<readonly RowResult[]> {
  const accounts = posts.flatMap(({ targets }) => targets.map(({ account }) => account.id));
  if (accounts.length > 0) await holdAccounts(tx.db, tx.dialect, [...new Set(accounts)]);
  const refusals = await repeatsAmong(tx, posts, batch, now);
  const paid = posts.filter(({ intent }, index) => intent !== 'draft' && !refusals[index]).length;
  const charged = paid === 0 ? null : await chargeFor(tx, batch.workspace, paid);
  const outcomes = posts.map((post, index) => {
    const refusal = refusals[index] ?? (post.intent !== 'draft' && charged instanceof ApiError ? charged : undefined);
    if (refusal) return refusal;
    const period = post.intent === 'draft' ? null : (charged as number);
    return rowsOfPost(post, { charged: period, source: 'import', now });
  });
  await writePosts(
    tx,
    outcomes.flatMap((outcome) => (outcome instanceof ApiError ? [] : [outcome])),
  );
  return outcomes.map((outcome) => (outcome instanceof ApiError ? outcome : outcome.post.id));
}

/** Charges the credits, which others may have used since the import began. */
async function chargeFor(tx: Tx, workspace: Workspace, count: number): Promise<number | ApiError> {
  try {
    return await tx.charge('posts', workspace, count);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
