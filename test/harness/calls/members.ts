import type { Role } from '#kernel/people/roles.ts';
import { sessionOf, type Browser } from './browser.ts';
import { dashboardToken } from './dashboard.ts';
import { call } from './operations.ts';
import { PASSWORD } from './people.ts';
import type { World } from '../world.ts';

/** A person of a workspace, with a token of the dashboard. */
export type Member = Readonly<{ id: string; email: string; token: string; browser: Browser }>;

/** Invites somebody as the owner does, or whoever's token it is; answers the id of the invitation and its secret. */
export async function invite(
  world: World,
  role: Exclude<Role, 'owner'>,
  email = `${role}@example.org`,
  token?: string,
) {
  const key = token ?? (await dashboardToken(world));
  const { ok, body } = await call(world, 'invite_person', { email, role }, { key });
  if (!ok) throw new Error(JSON.stringify(body));
  return { id: body.id as string, secret: new URL(body.url as string).searchParams.get('token')! };
}

/** Joins by the secret of an invitation; answers the session, or the code of the refusal. */
export async function join({ product: { signin } }: World, secret: string, name = 'Somebody'): Promise<string> {
  const joined = await signin.join(secret, { name, password: PASSWORD }).catch((error: unknown) => error as Error);
  return typeof joined === 'string' ? joined : (joined as Error & { code: string }).code;
}

/** A person who was invited and has joined. */
export async function newMember(
  world: World,
  role: Exclude<Role, 'owner'>,
  { email = `${role}@example.org`, name = `A ${role}` } = {},
): Promise<Member> {
  const { secret } = await invite(world, role, email);
  const session = await join(world, secret, name);
  const { caller } = (await world.product.signin.visitor(session))!;
  const browser = await sessionOf(world, caller.userId);
  return { id: caller.userId, email, token: await dashboardToken(world, caller.userId), browser };
}
