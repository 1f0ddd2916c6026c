/** Posts, comments and replies, which can be created, liked and deleted. */
import type { Clock } from '#kernel/clock.ts';
import type { Doc, DocStore } from '../kit/docs.ts';
import type { Version } from '../kit/people.ts';
import type { Settings } from '../kit/settings.ts';
import { newId } from './ids.ts';
import type { Medium } from './media/medium.ts';

export type AuthoredDoc = Doc &
  Readonly<{
    page_id: string;
    by_app: boolean;
    likes: readonly string[];
    /** The time in ms from which calls find it, which simulates read lag. */
    seen_from: number;
    deleted_at?: number;
  }>;

export type AuthoredPost = AuthoredDoc &
  Readonly<{ media: readonly Medium[]; shortcode: string; views: number; versions: readonly Version[] }>;

export const isLive = ({ deleted_at }: Readonly<{ deleted_at?: number }>): boolean => deleted_at === undefined;

type Given = 'at' | 'by_app' | 'likes' | 'seen_from';
type World<K extends string, T extends AuthoredDoc> = Readonly<{
  nodes: DocStore<Record<K, T>>;
  clock: Clock;
  settings: Pick<Settings<{ read_lag_ms: number }>, 'get'>;
}>;

/** The items of one kind. Callers make changes inside a transaction. */
export function makeAuthored<K extends string, T extends AuthoredDoc>(
  { nodes, clock, settings }: World<K, T>,
  kind: K,
) {
  const change = (id: string, patch: Partial<AuthoredDoc & Pick<AuthoredPost, 'views' | 'versions'>>): T =>
    nodes.change(kind, id, patch as Partial<T>);
  const versionsOf = (id: string) => (nodes.get(kind, id) as Partial<AuthoredPost> | undefined)?.versions;

  function keep(own: Omit<T, Given> & Partial<Pick<T, Given>>): T {
    const at = clock.now();
    const seen_from = at + settings.get('read_lag_ms');
    return nodes.put(kind, { by_app: false, likes: [], at, seen_from, ...own } as unknown as T);
  }

  return Object.freeze({
    get: (id: string): T | undefined => nodes.get(kind, id),
    keep,
    fresh: (record: object): Pick<AuthoredPost, 'shortcode' | 'views' | 'versions'> => ({
      shortcode: Buffer.from(newId().slice(-8)).toString('base64url'),
      views: 0,
      versions: [{ action: 'create', at: clock.now(), record }],
    }),
    remove(id: string): T {
      const deleted_at = clock.now();
      const versions = versionsOf(id);
      const past = versions && { versions: [...versions, { action: 'delete', at: deleted_at, record: null } as const] };
      return change(id, { deleted_at, ...past });
    },
    like(id: string, person: string, likes = true): T {
      const all = new Set(nodes.get(kind, id)?.likes);
      if (likes) all.add(person);
      else all.delete(person);
      return change(id, { likes: [...all] });
    },
    view: (id: string, times = 1): T =>
      change(id, { views: ((nodes.get(kind, id) as Partial<AuthoredPost> | undefined)?.views ?? 0) + times }),
    list: (where?: Readonly<{ page?: string; parent?: string }>): readonly T[] =>
      nodes.list(kind, where).filter(isLive),
    /** Whether calls already find it, despite the read lag. */
    isSeen: ({ seen_from }: AuthoredDoc) => seen_from <= clock.now(),
  });
}
