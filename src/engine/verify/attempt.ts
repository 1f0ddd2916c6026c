import { createReadStream } from 'node:fs';
import { currentWorkspace } from '#db/access/users.ts';
import { authorityOver } from '#kernel/authority.ts';
import { randomHex } from '#kernel/ids.ts';
import type { AccountCall } from '#platforms/call.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import type { OutgoingPost, PublishCall } from '#platforms/posts.ts';
import type { Use, VerifyDeps, Work } from './deps.ts';
import { makeInspection } from './inspection.ts';
import type { Made } from './eventually.ts';
import { makePresence } from './presence.ts';
import { publishPost } from './publish.ts';

const SAMPLES = Object.freeze({ image: 'sample.jpg', video: 'sample.mp4' });

type Target = Readonly<{
  page: string | undefined;
  board: string | undefined;
  file: OutgoingMedia | undefined;
}>;

/** Publishes the least visible post that the platform allows, tries every operation on it, and removes it. */
export function makeAttempt(deps: VerifyDeps) {
  const { store, clock, media, calling } = deps;
  const inspect = makeInspection(deps);
  const presence = makePresence(deps);

  /** Stores a post's file while it is needed. */
  async function withFile(
    { platform, account }: Work,
    act: (workspace: string, file: OutgoingMedia | undefined) => Promise<void>,
  ): Promise<void> {
    const workspace = (await currentWorkspace(store.db, account!.workspace_id))!;
    const kind = platform.verification!.media;
    if (kind === undefined) return act(workspace.id, undefined);
    const name = SAMPLES[kind];
    const bytes = createReadStream(new URL(name, import.meta.url));
    const { id } = await media.upload(workspace, { file: bytes, filename: name });
    try {
      const [file] = await media.describe(workspace.id, [{ source: id, source_type: 'media_id' }]);
      await act(workspace.id, file);
    } finally {
      await media.remove(authorityOver(workspace.id), id);
    }
  }

  async function publish(work: Work, use: Use, post: OutgoingPost, workspace: string) {
    const { trail, platform, network } = work;
    const { stopsBefore, seenBy } = platform.verification!;
    const expected = `it is ${stopsBefore === undefined ? 'made' : 'prepared'}, seen by ${seenBy}`;
    return trail.check('publish', expected, async () => {
      const { published, error, unsure } = await publishPost({
        clock,
        platform,
        hosts: calling.hosts(platform, network),
        post,
        stopsBefore,
        use: (state) => (act) => withMedia(media, use, workspace, network, (call) => act({ ...call, ...state, post })),
      });
      const value = { published, unsure };
      if (error !== undefined) return { ...trail.failure(error), value };
      return { seen: published ? 'it is made' : 'it is prepared', value };
    });
  }

  /** Removes what was created and checks that it is gone; whatever remains is reported. */
  async function takeDown(work: Work, use: Use, made: Made): Promise<void> {
    const { trail, platform, remains } = work;
    const { published } = made;
    const { without = {}, leaves, seenBy } = platform.verification!;
    const { remove, irremovable } = platform.posts!;
    const { platform_post_id: id, permalink: address, metadata = {} } = published;
    const why = without.remove ?? irremovable?.(metadata) ?? (remove ? undefined : 'the platform removes no posts');
    if (why !== undefined) {
      trail.skip('remove', why);
      return void remains.push({ what: leaves ?? `the post ${id}, seen by ${seenBy}: ${why}`, address });
    }
    const isRemoved = await trail.check('remove', 'the platform removes it', async () => {
      await use((call) => remove!(call, id, metadata));
      return { seen: 'it is removed', value: true };
    });
    const isGone = isRemoved === true && (await presence.gone(work, use, made));
    if (!isGone) remains.push({ what: `the post ${id}, seen by ${seenBy}`, address });
  }

  return async function attempt(work: Work, use: Use, page: string | undefined): Promise<void> {
    const { trail, platform, progress, remains } = work;
    if (!platform.verification || !platform.posts)
      return trail.skip('publish', `${platform.title} has nothing that could be published without reaching somebody`);
    await withFile(work, async (workspace, file) => {
      const board = platform.posts!.boards && (await boardOf(work, use));
      if (platform.posts!.boards && board === undefined) return;
      const post = postFor(work, { page, board, file });
      const { published, unsure } = (await publish(work, use, post, workspace)) ?? {};
      const found = published ?? (unsure && (await presence.lost(work, use, post)));
      if (!found) {
        const { seenBy } = platform.verification!;
        const what = `perhaps a post that begins with "${post.text}", seen by ${seenBy}`;
        if (unsure) remains.push({ what, address: undefined });
        return;
      }
      progress.made(found.permalink ?? found.platform_post_id);
      const made = { post, published: found };
      try {
        if (published) await inspect(work, use, made);
      } finally {
        // Whatever was created is removed, even after a failure.
        await takeDown(work, use, made);
      }
    });
  };
}

/** The board with the fewest viewers, if posts need one. */
async function boardOf({ trail, platform }: Work, use: Use): Promise<string | undefined> {
  const { boards } = platform.posts!;
  return trail.check('board', 'a board that only its owner sees', async () => {
    const board = (await use(boards!)).find(({ privacy }) => /^secret$/i.test(privacy));
    const seen = 'there is none: create a secret board, and nothing will be public';
    return board ? { seen: 'there is one', value: board.board_id } : { seen, untried: true };
  });
}

/** Lets a call read files until it ends. */
function withMedia<T>(
  media: VerifyDeps['media'],
  use: Use,
  workspace: string,
  network: Work['network'],
  act: (call: AccountCall & Pick<PublishCall, 'open' | 'link'>) => Promise<T>,
): Promise<T> {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  const open = (ref: string) => media.open(workspace, ref, { until });
  const link: PublishCall['link'] = (ref, request) => media.link(workspace, ref, { ...request, network });
  return use((call) => act({ ...call, open, link })).finally(end);
}

/** A post that says what it is for; different each time, as platforms refuse repeats. */
function postFor({ platform }: Work, { page, board, file }: Target): OutgoingPost {
  const { post } = platform.verification!;
  const code = randomHex(4);
  return {
    text: `A test of Rostra's connection (${code})`,
    ...(platform.posts!.rules.title && { title: `Test ${code}` }),
    media: file ? [file] : [],
    segments: [],
    visibility: 'public',
    options: {},
    page_id: page,
    board_id: board,
    ...(typeof post === 'function' ? post(page) : post),
  };
}
