import { ApiError } from '#kernel/errors.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { BrandView } from '../../kit/leash-form.ts';
import { listedIn } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { REMOVE } from '../people/paths.ts';
import { SETTINGS as PATH } from './settings-path.ts';
import { drawTypedQuestion } from './settings-view.ts';

/** The refusal if the typed confirmation does not match. */
function mistyped(fields: URLSearchParams, expected: string): ApiError | undefined {
  const typed = fields.get('confirm')?.trim() ?? '';
  if (typed.toLowerCase() === expected.toLowerCase()) return undefined;
  const message = `Nothing was deleted: type ${expected} to confirm.`;
  return new ApiError('validation.field_invalid', { message, meta: { field: 'confirm' } });
}

/** The pages that delete a brand or the whole workspace, after its name has been typed. */
export function makeDeletingRoutes({ visitors, operate, send, forThose }: Frame): readonly Route[] {
  async function brandOf(ctx: RequestContext, visitor: Visitor, parts: PathParams): Promise<BrandView | undefined> {
    const brands = listedIn<BrandView>(await operate(ctx, visitor, 'list_brands'));
    return brands.find(({ id }) => id === parts['id']);
  }

  async function showBrand(ctx: RequestContext, visitor: Visitor, parts: PathParams, filled?: Filled): Promise<void> {
    const brand = await brandOf(ctx, visitor, parts);
    if (brand === undefined) return sendOn(ctx, PATH);
    const body = drawTypedQuestion({
      action: `${PATH}/brands/${brand.id}`,
      field: visitors.field(visitor),
      what: 'Name of the brand',
      expected: brand.name,
      says: html`<p>
        The brand <strong><bdi>${brand.name}</bdi></strong> is deleted, its accounts are disconnected, and posts that
        are scheduled for them will fail. What is public stays public.
      </p>`,
      wrong: isAbout(filled, 'confirm'),
    });
    await send(ctx, visitor, { path: PATH, title: 'Delete a brand', body }, filled);
  }

  async function deleteBrand(ctx: RequestContext, visitor: Visitor, parts: PathParams): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const brand = await brandOf(ctx, visitor, parts);
    if (brand === undefined) return sendOn(ctx, PATH);
    const refusal =
      mistyped(fields, brand.name) ?? (await operate(ctx, visitor, 'delete_brand', { brand_id: brand.id })).refusal;
    if (refusal) await showBrand(ctx, visitor, parts, { refusal, fields });
    else sendOn(ctx, PATH);
  }

  /** Only the owner deletes the workspace; others can leave it. */
  const forOwner = (handle: (ctx: RequestContext, visitor: Visitor) => Promise<void>) =>
    visitors.signedIn((ctx, visitor) => (visitor.role === 'owner' ? handle(ctx, visitor) : sendOn(ctx, REMOVE)));

  async function showDelete(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const body = drawTypedQuestion({
      action: `${PATH}/delete`,
      field: visitors.field(visitor),
      what: 'Your e-mail address',
      expected: visitor.email,
      says: html`<p>
        The workspace and your sign-in are deleted for good, with all people, accounts, posts, messages, files, keys and
        webhooks. What was published stays on the platforms. This cannot be undone.
      </p>`,
      wrong: isAbout(filled, 'confirm'),
    });
    await send(ctx, visitor, { path: PATH, title: 'Delete the workspace', body }, filled);
  }

  async function deleteAll(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const refusal = mistyped(fields, visitor.email) ?? (await operate(ctx, visitor, 'delete_me')).refusal;
    if (refusal) return showDelete(ctx, visitor, { refusal, fields });
    await visitors.signOut(ctx);
    sendOn(ctx, '/');
  }

  return Object.freeze([
    {
      path: `${PATH}/brands/{id}`,
      GET: forThose('delete_brand', (ctx, visitor, parts) => showBrand(ctx, visitor, parts)),
      POST: forThose('delete_brand', deleteBrand),
    },
    {
      path: `${PATH}/delete`,
      GET: forOwner((ctx, visitor) => showDelete(ctx, visitor)),
      POST: forOwner(deleteAll),
    },
  ]);
}
