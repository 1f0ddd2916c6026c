import type { ActionRow } from '#db/leash/actions.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Sealer } from '#kernel/seal.ts';

/** What an action was asked for with, what a person changed of it, and what it came to. */
export type Sealed = Readonly<{
  input: object;
  edits?: Readonly<Record<string, string>>;
  result?: object;
  /** It was begun, and nothing of it has happened for certain. */
  isUntouched?: boolean;
}>;

export function openAction(sealer: Pick<Sealer, 'open'>, { id, sealed }: Pick<ActionRow, 'id' | 'sealed'>): Sealed {
  return openJson(sealer, sealed, 'actions', id) as Sealed;
}

export function sealAction(sealer: Pick<Sealer, 'seal'>, id: string, value: Sealed): string {
  return sealJson(sealer, value, 'actions', id);
}
