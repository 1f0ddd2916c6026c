import * as z from 'zod';
import type { PageProfile, Pages } from '../../connect.ts';
import type { AccountCall, UnauthenticatedCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import { Id } from '../../graph/api.ts';
import { pageLister } from '../../graph/dialog.ts';
import { isGraph } from '../../graph/errors.ts';
import { subscribedApps } from '../../graph/page-fields.ts';
import { type FacebookSession, sessionOf } from './session.ts';
import { asPage, graph } from '../api.ts';
import { text } from '../../shared/fields.ts';

const FIELDS =
  'id,name,username,access_token,category,about,link,picture.type(large),cover,followers_count,verification_status';

const Page = z.object({
  id: Id,
  name: z.string().catch(''),
  username: text,
  access_token: z.string().min(1).optional(),
  category: text,
  about: text,
  link: text,
  picture: z
    .object({ data: z.object({ url: text }) })
    .optional()
    .catch(undefined),
  cover: z.object({ source: text }).optional().catch(undefined),
  followers_count: z.number().int().nonnegative().optional().catch(undefined),
  verification_status: text,
});
type Page = z.output<typeof Page>;

const visiblePages = pageLister({ request: graph }, { fields: FIELDS, page: Page, host: 'graph' });

export type Granted = Readonly<{ pages: readonly PageProfile[]; tokens: Readonly<Record<string, string>> }>;

export const pages = Object.freeze<Pages>({ read, subscribe: subscribedApps({ request: asPage }).subscribePage });

export async function grantedPages(call: UnauthenticatedCall, token: string): Promise<Granted> {
  return grantOf((await visiblePages(call, token)).found);
}

async function read(call: AccountCall) {
  const session = sessionOf(call.session);
  try {
    const { found, isWhole } = await visiblePages(call, session.user_token);
    const { tokens } = grantOf(found);
    const hidden = isWhole ? [] : Object.keys(session.pages).filter((page) => !Object.hasOwn(tokens, page));
    return readingOf(session, [...found, ...(await readEach(call, hidden))]);
  } catch (error) {
    // The user token has expired after 60 days; page tokens have not, so they are used to read the pages.
    if (!isGraph(error, 190, 463)) throw error;
    const found = await readEach(call, Object.keys(session.pages));
    if (found.length === 0) throw error;
    return readingOf(session, found);
  }
}

function readingOf(session: FacebookSession, found: readonly Page[]) {
  const { pages, tokens } = grantOf(found);
  return { pages, session: { ...session, pages: tokens } };
}

/** Reads each page with its own token; a page that rejects its token is left out. */
async function readEach(call: AccountCall, ids: readonly string[]): Promise<readonly Page[]> {
  const { pages: tokens } = sessionOf(call.session);
  const found: Page[] = [];
  for (const page of ids) {
    const query = { fields: FIELDS.replace('access_token,', '') };
    try {
      const events = await asPage(call, page, { method: 'GET', path: '/{page}', ids: { page }, query }, Page);
      found.push({ ...events, access_token: tokens[page] });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'refused') throw error;
    }
  }
  return found;
}

/** Profiles and tokens of the pages, each page once; pages without a token are left out. */
function grantOf(found: readonly Page[]): Granted {
  const usable = new Map(found.filter(({ access_token: token }) => token !== undefined).map((page) => [page.id, page]));
  return {
    pages: [...usable.values()].map(profileOf),
    tokens: Object.fromEntries([...usable.values()].map((page) => [page.id, page.access_token!])),
  };
}

function profileOf(page: Page): PageProfile {
  return {
    platform_page_id: page.id,
    name: page.name,
    username: page.username,
    category: page.category,
    about: page.about,
    link: page.link,
    profile_picture_url: page.picture?.data.url,
    cover_photo_url: page.cover?.source,
    followers_count: page.followers_count,
    verification_status: page.verification_status,
  };
}
