import { randomHex } from '../../kernel/ids.ts';
import type { AccountCall } from '../../platforms/call.ts';
import type { Comments, MadeComment } from '../../platforms/interactions.ts';
import type { Use, VerifyDeps, Work } from './deps.ts';
import { eventually, type Made, NEWEST, readAgain, skips } from './looks.ts';
import { MOST_MS, whenReady } from './publish.ts';

async function noFile(): Promise<never> {
  throw new Error('a comment has no file');
}

/** Writes a comment on a post that was made, reads and removes it. */
export function makeCommenting({ clock }: Pick<VerifyDeps, 'clock'>) {
  async function comment(work: Work, use: Use, { post, published }: Made): Promise<void> {
    const { trail, platform } = work;
    const { comments } = platform;
    if (skips(work, 'comment', comments?.reply !== undefined)) return;
    const place = { post: published.platform_post_id, page: post.page_id };
    const text = `A test of comments (${randomHex(4)})`;
    const made = await trail.check('comment', 'a comment on it is made', async () => {
      return { seen: 'it is made', value: await write(use, comments!, { ...place, text }) };
    });
    if (!made) return;
    const { list, remove } = comments!;
    if (list) {
      await trail.check('read the comment', 'it is there, with the text that was sent', async () => {
        const read = async () => {
          const { items } = await use((call) => list(call, place, { limit: NEWEST }));
          return items.find((one) => one.platform_id === made.comment_id);
        };
        const found = await eventually(clock, read, (one) => one !== undefined);
        return readAgain(found, text);
      });
    }
    if (remove) {
      await trail.check('remove the comment', 'the platform removes it', async () => {
        await use((call) => remove(call, { ...place, comment: made.comment_id }));
        return { seen: 'it is removed' };
      });
    }
  }

  async function write(
    use: Use,
    { reply }: Comments,
    ask: Readonly<{ post: string; page: string | undefined; text: string }>,
  ) {
    const { prepare, send } = reply!;
    const able = (call: AccountCall) => ({ ...call, open: noFile, link: noFile });
    let kept: unknown;
    const keep = async (value: unknown) => void (kept = value);
    const prepared =
      prepare &&
      (await whenReady(clock, clock.now() + MOST_MS, () => use((call) => prepare({ ...able(call), kept, keep }, ask))));
    const state = { prepared: prepared ?? null, correlationId: randomHex(8), sentAt: clock.now() };
    return use((call): Promise<MadeComment> => send(able(call), ask, state));
  }

  return comment;
}
