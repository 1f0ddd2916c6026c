import type { Act } from '../acts.ts';
import { sha256 } from '../sign.ts';

/** How a connection may act: never, after approval, at once if it is a reply (otherwise after approval), or at once. */
export const VERDICTS = Object.freeze(['deny', 'hold', 'owed', 'allow'] as const);
export type Verdict = (typeof VERDICTS)[number];

/** The presets of limits, from the strictest to none. */
export const PRESETS = Object.freeze(['read', 'draft', 'ask', 'answer', 'full'] as const);
export type Preset = (typeof PRESETS)[number];

/** Acts with a daily limit (UTC) per connection; beyond it a person must approve. */
export const CAPPED = Object.freeze(['message', 'comment', 'moderate'] as const satisfies readonly Act[]);
export type CappedAct = (typeof CAPPED)[number];
export type Caps = Readonly<Record<CappedAct, number>>;

const CAPS: Caps = Object.freeze({ message: 100, comment: 100, moderate: 200 });
/** The highest daily limit that can be set. */
export const MOST_A_DAY = 10_000;

type Acts = Readonly<Record<Act, Verdict>>;

/** The stored limits of a connection. */
export type Policy = Readonly<{
  preset: Preset;
  acts: Acts;
  /** The brands it may access; undefined means those of its key, or all. */
  brand_ids?: readonly string[] | undefined;
  caps: Caps;
}>;

/** A policy that has limits, and the connection to which it applies. */
export type Leash = Readonly<{ connection: string; policy: Policy }>;

/** The id of a connection, derived from its grant or key, so that it is known before the connection is stored. */
export function connectionIdOf(ref: string): string {
  return `con_${sha256(`connection ${ref}`).slice(0, 26)}`;
}

const every = (verdict: Verdict): Acts => ({
  draft: verdict,
  post: verdict,
  message: verdict,
  comment: verdict,
  moderate: verdict,
  delete: verdict,
  connect: verdict,
  admin: verdict,
});

// Connecting and managing are denied, never held: responses contain secrets, and changes affect everything else.
const CLOSED = { connect: 'deny', admin: 'deny' } as const;
const ASK: Acts = { ...every('hold'), ...CLOSED, draft: 'allow' };
const ACTS_OF: ReadonlyMap<Preset, Acts> = new Map([
  ['read', every('deny')],
  ['draft', { ...every('deny'), draft: 'allow' }],
  ['ask', ASK],
  ['answer', { ...ASK, message: 'owed', comment: 'owed', moderate: 'allow' }],
  ['full', every('allow')],
]);

/** Whether a string is the name of a preset. */
export function isPreset(value: unknown): value is Preset {
  return (PRESETS as readonly unknown[]).includes(value);
}

/** The policy of a preset, limited to brands if any are given. */
export function policyOf(
  preset: Preset,
  { brand_ids = [], caps = {} }: Readonly<{ brand_ids?: readonly string[]; caps?: Partial<Caps> }> = {},
): Policy {
  const brands = brand_ids.length > 0 ? { brand_ids: [...new Set(brand_ids)] } : {};
  return Object.freeze({ preset, acts: ACTS_OF.get(preset)!, ...brands, caps: { ...CAPS, ...caps } });
}

/** Whether a policy has no limits. */
export function isFull({ preset, brand_ids }: Policy): boolean {
  return preset === 'full' && brand_ids === undefined;
}

/** Whether a policy allows something that another does not allow. */
export function isWider(policy: Policy, than: Policy): boolean {
  const rank = ({ acts }: Policy, act: Act) => VERDICTS.indexOf(acts[act]);
  const isLooser = (Object.keys(policy.acts) as Act[]).some((act) => rank(policy, act) > rank(than, act));
  const most = (of: Policy, act: Act) => capOf(of, act) ?? Infinity;
  const isMore = CAPPED.some((act) => most(policy, act) > most(than, act) && policy.acts[act] !== 'deny');
  const { brand_ids: brands } = policy;
  const { brand_ids: before } = than;
  return isLooser || isMore || (before !== undefined && !(brands?.every((id) => before.includes(id)) ?? false));
}

/** The daily limit of an act; undefined for acts without one. */
export function capOf({ preset, caps }: Policy, act: Act): number | undefined {
  return preset !== 'full' && CAPPED.some((one) => one === act) ? caps[act as CappedAct] : undefined;
}
