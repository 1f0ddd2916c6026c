import { postVersions, type ActionRow } from '#db/leash/actions.ts';
import type { Store } from '#db/store/store.ts';
import type { Db } from '#db/store/tx.ts';
import { authorityOver } from '#kernel/authority.ts';
import { postsIn } from './asked.ts';

type Bound = Pick<ActionRow, 'id' | 'workspace_id'> & Readonly<{ input: object }>;

/** The versions of posts in the order of `ids`, separated by commas; null if none of the posts exists. */
function versionIn(versions: ReadonlyMap<string, string>, ids: readonly string[]): string | null {
  const known = ids.map((id) => versions.get(id) ?? '');
  return known.every((one) => one === '') ? null : known.join(',');
}

/** Finds what an approval depends on besides the input: the current versions of the posts that it changes. */
export function makeBound({ store }: Readonly<{ store: Store }>) {
  async function versionsOf(rows: readonly Bound[], db: Db = store.db): Promise<ReadonlyMap<string, string | null>> {
    const named = rows.map(({ id, input }) => [id, postsIn(input)] as const);
    const ids = [...new Set(named.flatMap(([, posts]) => posts))];
    const versions = rows.length === 0 ? new Map() : await postVersions(db, authorityOver(rows[0]!.workspace_id), ids);
    return new Map(named.map(([id, posts]) => [id, versionIn(versions, posts)]));
  }

  return Object.freeze({
    /** The versions for several actions of one workspace, by action id. */
    versionsOf,
    async versionOf(row: Bound, db?: Db): Promise<string | null> {
      return (await versionsOf([row], db)).get(row.id) ?? null;
    },
  });
}

/** The versions of the posts that a person saw when they approved the action. */
export function seenIn(
  input: object,
  { bound_version }: Pick<ActionRow, 'bound_version'>,
): ReadonlyMap<string, string> {
  const versions = bound_version?.split(',') ?? [];
  const seen = postsIn(input).map((id, at) => [id, versions[at] ?? ''] as const);
  return new Map(seen.filter(([, version]) => version !== ''));
}
