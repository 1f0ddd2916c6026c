import type { Authority } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';

/** The kinds of items to list for a caller; `direct` are direct messages, which need a scope of their own. */
export function kindsFor<K extends string>(
  { scopes }: Authority,
  { all, direct, named }: Readonly<{ all: readonly K[]; direct: K; named: K | undefined }>,
): readonly K[] {
  const required_scope = 'dms:read';
  const hidden = scopes === undefined || scopes.includes(required_scope) ? undefined : direct;
  if (named !== undefined && named === hidden) {
    const message = `Direct messages are only listed for keys with the scope ${required_scope}.`;
    fail('auth.insufficient_scope', { message, meta: { required_scope } });
  }
  return all.filter((one) => one !== hidden && (named === undefined || one === named));
}
