import type { Signal } from '@preact/signals';
import type { Say } from '../../lib/acting.ts';
import { instantOf } from '../../lib/time.ts';
import type { Draft, Own } from '../draft.ts';

type OwningDeps = Readonly<{ draft: Signal<Draft>; zone: string; write(part: Partial<Draft>): void; say: Say }>;

/** What an account's tab marks as different, apart from its text. */
const DIFFERENT = ['media', 'title', 'first_comment'] as const;

/** Overrides for single destinations. */
export function makeOwning({ draft, zone, write, say }: OwningDeps) {
  function setOwn(id: string, part: Own): void {
    const set = Object.entries({ ...draft.value.own[id], ...part });
    const own = Object.fromEntries(set.filter(([, value]) => value !== undefined && value !== null));
    write({ own: { ...draft.value.own, [id]: own } });
  }

  return {
    setOwn,
    /** Sets the time of one destination; an empty time means the common one. */
    setOwnTime: (id: string, when: string) => setOwn(id, { scheduled_at: when === '' ? null : instantAt(when, zone) }),
    useTextOfAll(id: string): void {
      const instead = Object.fromEntries(Object.entries(draft.value.instead).filter(([key]) => key !== id));
      write({ instead });
    },
    useFilesOfAll(id: string): void {
      const { media } = draft.value.own[id]!;
      setOwn(id, { media: null });
      say('The files of this account are taken away.', { undo: () => setOwn(id, { media }) });
    },
    /** Whether a destination has a text, files or other content of its own. */
    isDifferent: (id: string): boolean =>
      draft.value.instead[id] !== undefined || DIFFERENT.some((name) => draft.value.own[id]?.[name] !== undefined),
  };
}

/** The instant of a draft's local time. */
export function instantAt(when: string, zone: string): string {
  const [day = '', time = ''] = when.split('T');
  return instantOf({ day, time }, zone);
}
