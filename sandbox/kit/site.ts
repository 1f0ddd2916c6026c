/** A network's public website: posts, profiles and the consent page. */
import type { Context } from 'koa';
import { html, type Fill, type Html } from '../html.ts';
import type { Offer, TwinAbout } from '../twin.ts';
import type { ConsentDialog } from './oauth/consent.ts';
import { showPublic } from './public.ts';

/** What a path shows: a post, or a profile with posts or other content. */
export type Presented<P> =
  | Readonly<{ post: P | undefined }>
  | Readonly<{ name: string; about?: Fill; posts: readonly P[] }>
  | Readonly<{ name: string; about?: Fill; body: Html | readonly Html[] }>;

export type SiteTerms<P> = Readonly<{
  about: Pick<TwinAbout, 'slug' | 'title'>;
  dialog?: Pick<ConsentDialog, 'answer'>;
  isDialog?(path: string): boolean;
  at(path: readonly string[], query: URLSearchParams): Presented<P> | undefined;
  /** Whether visitors see a post; by default they see every post that `at` finds. */
  isPublic?(post: P): boolean;
  nameOf?(post: P): string | undefined;
  seen?(post: P): unknown;
  /** Draws a post with its replies, and for the operator also with actions. */
  draw(post: P, offer?: Offer): Html;
  /** The posts to show in the console, oldest first. */
  posts(): readonly P[];
}>;

/** Serves the public website, and draws the newest posts for the console. */
export function makeSite<P>({ about, dialog, isDialog, at, isPublic, nameOf, seen, draw, posts }: SiteTerms<P>) {
  const show = (ctx: Context, title: string, body: Html) =>
    showPublic(ctx, { slug: about.slug, network: about.title }, title, body);

  function answerPage(ctx: Context, view: Presented<P>): void {
    if ('name' in view) {
      const { name, about: words } = view;
      const body = 'body' in view ? view.body : view.posts.map((post) => draw(post));
      show(
        ctx,
        name,
        html`<h1>${name}</h1>
          ${words !== undefined && html`<p class="quiet">${words}</p>`} ${body}`,
      );
      return;
    }
    const { post } = view;
    if (post === undefined || isPublic?.(post) === false) return;
    seen?.(post);
    const name = nameOf?.(post) ?? 'Post';
    show(
      ctx,
      name,
      html`<h1>A post of ${name}</h1>
        ${draw(post)}`,
    );
  }

  return Object.freeze({
    latest: (count: number, offer?: Offer) =>
      posts()
        .slice(-count)
        .toReversed()
        .map((post) => draw(post, offer)),
    async answer(ctx: Context, path: readonly string[]) {
      if (isDialog?.(path.join('/')) === true) {
        await dialog?.answer(ctx);
        return;
      }
      const view = ctx.method === 'GET' || ctx.method === 'HEAD' ? at(path, ctx.URL.searchParams) : undefined;
      if (view !== undefined) answerPage(ctx, view);
    },
  });
}
