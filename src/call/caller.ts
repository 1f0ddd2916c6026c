import type { Act } from '#kernel/acts.ts';
import { leashedAuthority, type Authority, type Workspace } from '#kernel/authority.ts';
import { connectionIdOf, isFull, type Leash, type Policy } from '#kernel/limits/leash.ts';

export type Caller = Readonly<{
  kind: 'key' | 'oauth' | 'dashboard';
  /** Key id, or the id of the token's grant. */
  id: string;
  name: string;
  userId: string;
  workspace: Workspace;
  authority: Authority;
  leash?: Leash | undefined;
  /** The key may decide about actions that wait for approval. */
  decides?: true | undefined;
  /** Set when a dashboard token belongs to a person who has no user here. They may only create one. */
  newcomer?: Readonly<{
    email: string;
    name: string;
    /** The identity provider has verified the email address, so an existing user with that address is this person. */
    vouched?: boolean | undefined;
  }>;
}>;

/** Whether a caller may do an act at once, without anybody's approval. */
export function isFreeTo(act: Act, { leash }: Pick<Caller, 'leash'>): boolean {
  return leash === undefined || leash.policy.acts[act] === 'allow';
}

/** The stored limits of a connection; null where nobody has limited it. */
type Stored = Readonly<{ policy: Policy | null; decides: number | null }>;

/** The part of a caller that the limits of their connection decide. */
export function connectedAs(
  ref: string,
  authority: Authority,
  { policy, decides }: Stored = { policy: null, decides: null },
): Pick<Caller, 'authority' | 'leash' | 'decides'> {
  const decider = decides === 1 && ({ decides: true } as const);
  if (policy === null || isFull(policy)) return { authority, ...decider };
  const leash = Object.freeze({ connection: connectionIdOf(ref), policy });
  return { authority: leashedAuthority(authority, policy.brand_ids), leash, ...decider };
}
