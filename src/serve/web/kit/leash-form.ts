import { ApiError, unknownBrand } from '#kernel/errors.ts';
import {
  CAPPED,
  isPreset,
  MOST_A_DAY,
  policyOf,
  type CappedAct,
  type Caps,
  type Policy,
} from '#kernel/limits/leash.ts';

export type BrandView = Readonly<{ id: string; name: string }>;

/** The prefix of field names for daily limits. */
export const CAP = 'cap_';
export const CAP_LABELS: Readonly<Record<CappedAct, string>> = Object.freeze({
  message: 'Messages',
  comment: 'Answers in public',
  moderate: 'Likes and hides',
});

/** The daily limits in a form. Fields that are missing keep their earlier value. */
function capsIn(fields: URLSearchParams, before: Caps): Caps | ApiError {
  const caps: Record<CappedAct, number> = { ...before };
  for (const act of CAPPED) {
    const given = fields.get(`${CAP}${act}`)?.trim();
    if (given === undefined) continue;
    if (!/^\d{1,5}$/.test(given) || Number(given) > MOST_A_DAY) {
      const message = `${CAP_LABELS[act]} a day: a number from 0 to ${MOST_A_DAY}.`;
      return new ApiError('validation.field_invalid', { message, meta: { field: `${CAP}${act}` } });
    }
    caps[act] = Number(given);
  }
  return caps;
}

type Proposed = Pick<Policy, 'preset' | 'brand_ids' | 'caps'>;

/** The limits in a form, or the error if they are invalid. Fields that are missing keep the proposed value. */
export function leashIn(fields: URLSearchParams, brands: readonly BrandView[], proposed: Proposed): Policy | ApiError {
  const { brand_ids: before = [] } = proposed;
  const caps = capsIn(fields, proposed.caps);
  if (caps instanceof ApiError) return caps;
  const preset = fields.get('preset') ?? proposed.preset;
  const isWhole = fields.has('preset') || fields.has('brand_ids');
  const brand_ids = isWhole ? fields.getAll('brand_ids') : before;
  if (!isPreset(preset)) {
    const message = `There is no choice ${preset}.`;
    return new ApiError('validation.field_invalid', { message, meta: { field: 'preset' } });
  }
  const known = new Set([...before, ...brands.map(({ id }) => id)]);
  return unknownBrand(brand_ids, known) ?? policyOf(preset, { brand_ids, caps });
}
