import type { Json } from '../../harness/world.ts';
import type { Door, Scene, Subject } from './subject.ts';

/** A way in, with time. */
export type Place = Door &
  Readonly<{
    /** A text that nobody used before. */
    text(what: string): string;
    /** Waits for what the platform reports by itself, pushed or polled. */
    hear(): Promise<void>;
    /** The first row of a list, once it is there. */
    first(path: `/${string}`): Promise<Json>;
  }>;

/** An account of each subject beside the others; two kinds of accounts of one platform belong to different people. */
export async function openScenes<P extends Place>(place: P, subjects: readonly Subject[]) {
  const opened: Readonly<{ subject: Subject; scene: P & Scene }>[] = [];
  for (const subject of subjects) {
    await subject.prepare?.(place);
    const nth = opened.filter((other) => other.subject.platform.slug === subject.platform.slug).length;
    opened.push({ subject, scene: await openScene(place, subject, nth) });
  }
  return opened;
}

/** Connects an account that has a post, a comment and a conversation, as far as its platform has them. */
export async function openScene<P extends Place>(place: P, subject: Subject, nth = 0): Promise<P & Scene> {
  const { rest, hear, first } = place;
  const { comment, message, review } = subject.people;
  const { account, person } = await subject.connect(place, nth);
  await hear();
  const page = subject.platform.pages && (await first(`/v1/accounts/${account}/pages`));
  const platformPage = (page?.platform_page_id as string | undefined) ?? '';
  const named = { account, person, page: platformPage };
  const scene = { ...place, ...named, post: '', platformPost: '', comment: '', conversation: '', review: '' };
  const [one] = Object.values(subject.posts);
  if (one) {
    const text = place.text('First');
    const input = { text, account_ids: [account], publish_now: true, ...(await one.input(place, text, [account])) };
    const { body: post } = await rest('POST /v1/posts', input);
    if (post.status !== 'published') throw new Error(JSON.stringify(post));
    scene.post = post.id;
    scene.platformPost = post.results[0].platform_post_id;
  }
  await comment?.(scene, 'Is it rye?');
  await message?.(scene, 'Are you open?');
  await review?.(scene, 'Good bread.');
  await hear();
  if (comment) scene.comment = (await first(`/v1/inbox/comments/${scene.post}`)).id;
  if (message) scene.conversation = (await first(`/v1/inbox/conversations?account_id=${account}`)).id;
  if (review) scene.review = (await first(`/v1/inbox/reviews?account_id=${account}`)).id;
  return scene;
}
