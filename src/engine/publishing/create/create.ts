import { insertPosts, usePostMedia } from '#db/posts/posts.ts';
import { insertTargets } from '#db/posts/targets.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Progress } from '#call/context.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import type { InRequest } from '../attempt/in-request.ts';
import { makeAddressBook, type ComposeDeps } from '../content/addressing.ts';
import { presentPost, type WirePost } from '../read/present-post.ts';
import { postEventFields } from '../state/activity.ts';
import { acceptDraft, type Draft } from './accept.ts';
import { refuseDuplicates } from './duplicates.ts';
import { rowsOfPost, type NewPost, type PostRows } from './rows.ts';

/** Writes new posts with their targets, media uses and events. */
export async function writePosts(tx: Tx, made: readonly PostRows[]): Promise<void> {
  if (made.length === 0) return;
  await insertPosts(
    tx.db,
    made.map(({ post }) => post),
  );
  await insertTargets(
    tx.db,
    made.flatMap(({ targets }) => targets),
  );
  for (const { post, targets, mediaIds } of made) {
    if (mediaIds.length > 0) await usePostMedia(tx.db, tx.dialect, authorityOver(post.workspace_id), post.id, mediaIds);
    if (post.status !== 'scheduled') continue;
    const { fields, about } = postEventFields(post, targets);
    const scheduled_at = isoTime(post.scheduled_at);
    await tx.emit({
      ...about,
      name: 'post.scheduled',
      data: {
        ...fields,
        status: 'scheduled',
        scheduled_at,
        targets: targets.map(({ account_id, platform }) => ({ account_id, platform })),
      },
      summary: `Post scheduled for ${scheduled_at}`,
    });
  }
  if (made.some(({ post }) => post.status !== 'draft')) tx.signal('targets');
}

/** Charges the credit and writes a post with its targets. */
async function createPost(tx: Tx, post: NewPost, token: string | undefined, now: number): Promise<PostRows> {
  const { workspace, content, targets, intent } = post;
  if (intent !== 'draft' && !post.skipDuplicateCheck) await refuseDuplicates(tx, content, targets, now);
  const charged = intent === 'draft' ? null : await tx.charge('posts', workspace, 1);
  const made = rowsOfPost(post, { charged, source: 'api', now, token });
  await writePosts(tx, [made]);
  return made;
}

type CreateDeps = Readonly<{ store: Store; clock: Clock; composing: ComposeDeps; inRequest: InRequest }>;

/** Creates a post; if it is to be published now, that happens within the request. */
export function makeCreate({ store, clock, composing, inRequest }: CreateDeps) {
  return async function create(
    authority: Authority,
    workspace: Workspace,
    draft: Draft,
    progress: Progress = () => {},
  ): Promise<WirePost> {
    const known = await makeAddressBook(composing, authority, draft.targets);
    const post = await acceptDraft(composing, { authority, workspace }, draft, known, clock.now());
    const token = post.intent === 'now' ? store.process.newToken() : undefined;
    const made = await store.write(async (tx) => {
      const begun = await createPost(tx, post, token, clock.now());
      await tx.key?.record({ id: begun.post.id });
      return begun;
    });
    if (token === undefined) return presentPost(made.post, made.targets);
    await inRequest.run(made.post.id, token, progress);
    return inRequest.answerPublished(authority, made.post.id);
  };
}
