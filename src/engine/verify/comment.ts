import { randomHex } from '#kernel/ids.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { Comments, CreatedComment } from '#platforms/interactions.ts';
import { isSameText } from '#platforms/shared/settle.ts';
import type { Use, VerifyDeps, Work } from './deps.ts';
import { eventually, type Made, NEWEST, readAgain, skips } from './eventually.ts';
import { madeNothing, MOST_MS, whenReady } from './publish.ts';

type CommentDraft = Readonly<{ post: string; page: string | undefined; text: string }>;

async function noFile(): Promise<never> {
  throw new Error('a comment has no file');
}

/** Writes, reads and removes a comment on a created post. */
export function makeCommenting({ clock }: Pick<VerifyDeps, 'clock'>) {
  return async function comment(work: Work, use: Use, { post, published }: Made): Promise<void> {
    const { trail, platform, progress, remains } = work;
    const { comments } = platform;
    if (skips(work, 'comment', comments?.reply !== undefined)) return;
    const draft = {
      post: published.platform_post_id,
      page: post.page_id,
      text: `A test of comments (${randomHex(4)})`,
    };
    const { made, unsure } = await write(work, use, comments!, draft);
    if (!made && !unsure) return;
    if (made) progress.made(made.permalink ?? made.comment_id);
    const found = await read(work, use, comments!, draft, made);
    const address = made?.permalink ?? published.permalink;
    const id = made?.comment_id ?? found?.platform_id;
    const where = 'below the post, unless it went with the post';
    if (id === undefined) return void remains.push({ what: `perhaps a comment "${draft.text}" ${where}`, address });
    const { remove } = comments!;
    const isRemoved =
      remove &&
      (await trail.check('remove the comment', 'the platform removes it', async () => {
        await use((call) => remove(call, { post: draft.post, page: draft.page, comment: id }));
        return { seen: 'it is removed', value: true };
      }));
    if (!isRemoved) remains.push({ what: `the comment ${id} ${where}`, address });
  };

  /** `unsure`: the comment may exist under an unknown id. */
  async function write({ trail }: Work, use: Use, { reply }: Comments, draft: CommentDraft) {
    const { prepare, send } = reply!;
    const able = (call: AccountCall) => ({ ...call, open: noFile, link: noFile });
    let unsure = false;
    const made = await trail.check('comment', 'a comment on it is made', async () => {
      let kept: unknown;
      const keep = async (value: unknown) => void (kept = value);
      const until = clock.now() + MOST_MS;
      const prepared =
        prepare && (await whenReady(clock, until, () => use((call) => prepare({ ...able(call), kept, keep }, draft))));
      const state = { prepared: prepared ?? null, correlationId: randomHex(8), sentAt: clock.now() };
      try {
        return {
          seen: 'it is made',
          value: await use((call): Promise<CreatedComment> => send(able(call), draft, state)),
        };
      } catch (error) {
        unsure = !madeNothing(error);
        throw error;
      }
    });
    return { made, unsure };
  }

  /** Finds the comment, by its text if its id is unknown. */
  async function read(
    { trail }: Work,
    use: Use,
    { list }: Comments,
    { post, page, text }: CommentDraft,
    made?: CreatedComment,
  ) {
    if (!list) return undefined;
    return trail.check('read the comment', 'it is there, with the text that was sent', async () => {
      const look = async () => {
        const { items } = await use((call) => list(call, { post, page }, { limit: NEWEST }));
        return items.find((one) => (made ? one.platform_id === made.comment_id : isSameText(one.text, text)));
      };
      const found = await eventually(clock, look, (one) => one !== undefined);
      return { ...readAgain(found, text), ...(found && { value: found }) };
    });
  }
}
