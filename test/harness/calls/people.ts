import type { Role } from '#kernel/people/roles.ts';
import type { World } from '../world.ts';
import { makeBrowser, type Browser } from './browser.ts';
import { dashboardToken } from './dashboard.ts';
import { call } from './operations.ts';

export const PASSWORD = 'correct horse battery';

/** Invites somebody as the owner does; answers the invitation with its link. */
export async function invite(world: World, email: string, role: Exclude<Role, 'owner'> = 'editor') {
  const { status, body } = await call(world, 'invite_person', { email, role }, { key: await dashboardToken(world) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as Readonly<{ id: string; email: string; url: string }>;
}

/** Joins with a link, and stays signed in. */
export async function join(world: World, url: string, name: string): Promise<Browser> {
  const browser = makeBrowser(world);
  const page = await browser.follow(await browser.open(url));
  const { status, words } = await browser.submit(page, { name, password: PASSWORD, repeated: PASSWORD });
  if (status !== 302) throw new Error(words);
  return browser;
}

/** A new person of the workspace: their browser, address and id. */
export async function personWith(world: World, role: Exclude<Role, 'owner'>, name = 'Bea') {
  const email = `${name.toLowerCase()}@example.org`;
  const browser = await join(world, (await invite(world, email, role)).url, name);
  const { id } = await world.product.store.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  return { browser, email, id };
}
