import type { ActionRow } from '#db/leash/actions.ts';
import { openJson, sealJson } from '#db/schema/sealed.ts';
import type { Sealer } from '#kernel/seal.ts';

/** What is stored encrypted of an action: its input, a person's edits, and its result. */
export type Sealed = Readonly<{
  input: object;
  edits?: Readonly<Record<string, string>>;
  result?: object;
  /** The action has begun, but certainly has not taken any effect. */
  isUntouched?: boolean;
}>;

export function openAction(sealer: Pick<Sealer, 'open'>, { id, sealed }: Pick<ActionRow, 'id' | 'sealed'>): Sealed {
  return openJson(sealer, sealed, 'actions', id) as Sealed;
}

export function sealAction(sealer: Pick<Sealer, 'seal'>, id: string, value: Sealed): string {
  return sealJson(sealer, value, 'actions', id);
}
